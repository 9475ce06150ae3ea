namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>declare function name(a, b) { … }</c>.</summary>
/// <param name="Name">The name.</param>
/// <param name="Parameters">The names of its parameters.</param>
/// <param name="Body">The unchanged JavaScript text between the braces.</param>
/// <param name="Span">The place in the text.</param>
public sealed record FunctionSyntax(string Name, IReadOnlyList<string> Parameters, string Body, SourceSpan Span)
{
    /// <summary>The function as JavaScript declares it.</summary>
    public string ToScript() => $"function {Name}({string.Join(", ", Parameters)}) {{{Body}}}";
}
