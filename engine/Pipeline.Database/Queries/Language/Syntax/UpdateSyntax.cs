namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>update { … }</c>: what is done to each document that is found.</summary>
/// <param name="Body">The script between the braces, as it is.</param>
/// <param name="Span">Where it stands.</param>
public sealed record UpdateSyntax(string Body, SourceSpan Span);
