using Acornima.Ast;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>A user's text as the engine gets it: additions that may join long texts are calls of <see cref="Measure"/>. Knows where each place was in the user's text.</summary>
internal sealed class ScriptText
{
    /// <summary>The name of the function that measures a text.</summary>
    public const string Measure = "pipeline$measure";

    private const int MostUnmeasured = 1 << 16;

    private readonly List<(int Line, int Column, int Length)> _inserted = [];

    /// <summary>Makes the text.</summary>
    /// <param name="name">The name that errors in it are reported under.</param>
    /// <param name="source">What the user wrote; it has been checked.</param>
    public ScriptText(string? name, string source)
    {
        Name = name;
        var grammar = new ScriptGrammar(JavaScriptCompiler.Parse(source));
        _ = grammar.Read();
        var edits = new List<(int Position, bool IsEnd, string Text)>();
        foreach (Node node in grammar.Measured)
        {
            // Reads the variable's length: passing the text on would copy what was appended to it.
            bool isVariable = node is AssignmentExpression { Left: Identifier };
            string variable = isVariable ? ((Identifier)((AssignmentExpression)node).Left).Name : "";
            edits.Add((node.Start, false, isVariable ? "(" : Measure + "("));
            edits.Add((node.End, true, isVariable ? $", {variable}.length > {MostUnmeasured} && {Measure}({variable}.length), {variable})" : ")"));
        }

        Text = edits.Count == 0 ? source : Edit(source, edits);
    }

    /// <summary>The name that errors are reported under; <see langword="null"/> for the script itself.</summary>
    public string? Name { get; }

    /// <summary>What the engine gets.</summary>
    public string Text { get; }

    /// <summary>The column in the user's text, from 1.</summary>
    /// <param name="line">The line, from 1, which is the same.</param>
    /// <param name="column">The column in <see cref="Text"/>, from 1.</param>
    public int ColumnOf(int line, int column)
    {
        int shift = 0;
        foreach ((int at, int start, int length) in _inserted)
        {
            if (at != line || start + shift >= column) continue;
            shift += Math.Min(length, column - start - shift);
        }

        return Math.Max(1, column - shift);
    }

    private string Edit(string source, List<(int Position, bool IsEnd, string Text)> edits)
    {
        // At one place the ends come first: an addition that ends where another begins does not contain it.
        edits.Sort((a, b) => a.Position != b.Position ? a.Position.CompareTo(b.Position) : b.IsEnd.CompareTo(a.IsEnd));
        var text = new System.Text.StringBuilder(source.Length + (edits.Count * 12));
        (int line, int lineStart, int done) = (1, 0, 0);
        foreach ((int position, _, string insert) in edits)
        {
            for (int i = done; i < position; i++)
            {
                if (source[i] == '\n') (line, lineStart) = (line + 1, i + 1);
            }

            text.Append(source, done, position - done).Append(insert);
            _inserted.Add((line, position - lineStart + 1, insert.Length));
            done = position;
        }

        return text.Append(source, done, source.Length - done).ToString();
    }
}
