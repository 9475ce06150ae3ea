using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Refuses texts that are nested more deeply than anybody writes: the compiler's time grows faster than the depth, and
/// its stack is bounded.
/// </summary>
internal static class ScriptNesting
{
    private const int MaxBrackets = 200;
    private const int MaxNodes = 1000;

    // Brackets in texts and comments do not count, but a text with this many is refused without finding out.
    private const int MaxUnread = 2000;

    // For want of stack; its tree is empty then.
    private const string ParserGaveUp = "CS8078";

    /// <summary>The first bracket that is too deep, found before anything is parsed.</summary>
    public static ScriptError? FindBracket(MappedText text, CSharpParseOptions options)
    {
        var position = FirstBeyond(text.User, MaxBrackets);
        if (position >= 0 && FirstBeyond(text.User, MaxUnread) < 0)
        {
            position = FirstBeyond(
                SyntaxFactory
                    .ParseTokens(text.User, options: options)
                    .Select(t => (t.SpanStart, t.Span.Length == 1 ? text.User[t.SpanStart] : ' ')),
                MaxBrackets
            );
        }

        return position < 0 ? null : Error(text, position, $"more than {MaxBrackets} brackets are open here");
    }

    /// <summary>
    /// A part of the tree that is too deep, as in a chain of a thousand operators or of <c>else if</c>.
    /// </summary>
    public static ScriptError? FindNode(MappedText text, SyntaxTree tree)
    {
        if (tree.GetDiagnostics().FirstOrDefault(d => d.Id == ParserGaveUp) is { } diagnostic)
        {
            return Error(
                text,
                ToUser(text, diagnostic.Location.SourceSpan.Start),
                "the script is nested too deeply here"
            );
        }

        var waiting = new Stack<(SyntaxNode Node, int Depth)>();
        waiting.Push((tree.GetRoot(), 0));
        while (waiting.TryPop(out var next))
        {
            if (next.Depth > MaxNodes)
            {
                return Error(
                    text,
                    ToUser(text, next.Node.SpanStart),
                    $"the script is nested more than {MaxNodes} levels deep here"
                );
            }

            foreach (var child in next.Node.ChildNodes())
                waiting.Push((child, next.Depth + 1));
        }

        return null;
    }

    /// <summary>
    /// The place at which more brackets are open than allowed; -1 if there is none. Brackets in texts and comments
    /// count, too.
    /// </summary>
    public static int FirstBeyond(string text, int most) => FirstBeyond(text.Select((c, i) => (i, c)), most);

    private static int FirstBeyond(IEnumerable<(int Position, char Character)> characters, int most)
    {
        var depth = 0;
        foreach (var (position, character) in characters)
        {
            if (character is '(' or '[' or '{')
                depth++;
            else if (character is ')' or ']' or '}' && depth > 0)
                depth--;
            if (depth > most)
                return position;
        }

        return -1;
    }

    private static int ToUser(MappedText text, int position) =>
        System.Math.Clamp(text.ToUser(position), 0, text.User.Length);

    private static ScriptError Error(MappedText text, int position, string message) =>
        ScriptDiagnostics.AtUser(
            text,
            new TextSpan(position, 0),
            "SCRIPT005",
            message,
            "split it into named parts, such as local functions or variables"
        );
}
