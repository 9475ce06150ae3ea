namespace Pipeline.Scripting;

/// <summary>One reason why a script does not compile, at a place of the user's own text.</summary>
/// <param name="Source">Name of the helper the error is in; <see langword="null"/> for the script itself.</param>
/// <param name="Line">Line in that text, from 1.</param>
/// <param name="Column">Column in that line, from 1, in UTF-16 units.</param>
/// <param name="EndLine">Line where the offending text ends.</param>
/// <param name="EndColumn">Column after the last offending character.</param>
/// <param name="Code">The C# compiler's code (<c>CS…</c>), or one of this engine's (<c>SCRIPT…</c>).</param>
/// <param name="Message">The problem.</param>
/// <param name="Suggestion">A replacement, if there is one.</param>
public sealed record ScriptError(
    string? Source,
    int Line,
    int Column,
    int EndLine,
    int EndColumn,
    string Code,
    string Message,
    string? Suggestion = null
)
{
    /// <summary><c>line:column: code: message, suggestion</c>.</summary>
    public override string ToString() =>
        $"{(Source is null ? "" : Source + ":")}{Line}:{Column}: {Code}: {Message}{(Suggestion is null ? "" : ", " + Suggestion)}";
}
