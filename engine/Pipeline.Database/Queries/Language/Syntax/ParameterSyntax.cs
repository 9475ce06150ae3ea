namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A value that is given beside the query: <c>$name</c>.</summary>
/// <param name="Name">The name without the dollar sign; case-sensitive.</param>
/// <param name="Span">Where it stands.</param>
public sealed record ParameterSyntax(string Name, SourceSpan Span) : ExpressionSyntax(Span);
