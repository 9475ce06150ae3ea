namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>
/// An operator that is handed to a function: <c>and</c> or <c>or</c> in <c>search(Name, 'a b', and)</c>.
/// </summary>
/// <param name="Name">The word, in lower case.</param>
/// <param name="Span">The place in the text.</param>
public sealed record KeywordSyntax(string Name, SourceSpan Span) : ExpressionSyntax(Span);
