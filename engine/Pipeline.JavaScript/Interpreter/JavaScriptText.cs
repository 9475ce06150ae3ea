namespace Pipeline.JavaScript;

/// <summary>
/// A user's text as the engine gets it: places that may take much have calls of our functions. Knows where each place
/// was in the user's text.
/// </summary>
internal sealed class JavaScriptText
{
    /// <summary>How the names of our functions begin; no script may use such a name.</summary>
    public const string Reserved = "pipeline$";

    /// <summary>The function that checks the run and measures a value if it is a text.</summary>
    public const string Measure = Reserved + "measure";

    /// <summary>The function that checks a text's length.</summary>
    public const string Length = Reserved + "length";

    /// <summary>The function that checks the run before a value is copied.</summary>
    public const string Spread = Reserved + "spread";

    /// <summary>The function that gives a part of a long template as a text.</summary>
    public const string Join = Reserved + "join";

    /// <summary>The function that checks an object's chain of prototypes.</summary>
    public const string Chain = Reserved + "chain";

    /// <summary>Characters of a variable's text that are not measured.</summary>
    public const int MaxUnmeasured = 1 << 16;

    private readonly List<(int Line, int Column, int Length)> _inserted = [];

    /// <summary>Makes the text.</summary>
    /// <param name="name">The name that errors in it are reported under.</param>
    /// <param name="source">The user's text, which has been checked.</param>
    public JavaScriptText(string? name, string source)
    {
        Name = name;
        var edits = new MeasuredPlaces(JavaScriptCompiler.Parse(source)).Find();
        Text = edits.Count == 0 ? source : Insert(source, edits);
    }

    /// <summary>The name that errors are reported under; <see langword="null"/> for the script itself.</summary>
    public string? Name { get; }

    /// <summary>The text for the engine.</summary>
    public string Text { get; }

    /// <summary>The column in the user's text, from 1.</summary>
    /// <param name="line">The line, from 1, which is the same.</param>
    /// <param name="column">The column in <see cref="Text"/>, from 1.</param>
    public int ColumnOf(int line, int column)
    {
        var shift = 0;
        foreach ((var at, var start, var length) in _inserted)
        {
            if (at != line || start + shift >= column)
                continue;
            shift += Math.Min(length, column - start - shift);
        }

        return Math.Max(1, column - shift);
    }

    private string Insert(string source, List<MeasuredPlaces.Edit> edits)
    {
        var text = new System.Text.StringBuilder(source.Length + (edits.Count * 12));
        (var line, var lineStart, var done) = (1, 0, 0);
        foreach ((var position, _, _, _, var insert) in edits)
        {
            for (var i = done; i < position; i++)
            {
                if (source[i] == '\n')
                    (line, lineStart) = (line + 1, i + 1);
            }

            text.Append(source, done, position - done).Append(insert);
            _inserted.Add((line, position - lineStart + 1, insert.Length));
            done = position;
        }

        return text.Append(source, done, source.Length - done).ToString();
    }
}
