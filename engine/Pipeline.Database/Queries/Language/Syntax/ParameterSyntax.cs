namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A parameter, whose value is passed with the query: <c>$name</c>.</summary>
/// <param name="Name">The name without the dollar sign; case-sensitive.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ParameterSyntax(string Name, SourceSpan Span) : ExpressionSyntax(Span);
