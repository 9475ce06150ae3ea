namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>update { … }</c>: the script to run on each document of the result.</summary>
/// <param name="Body">The unchanged script between the braces.</param>
/// <param name="Span">The place in the text.</param>
public sealed record UpdateSyntax(string Body, SourceSpan Span);
