namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A value that is written in the query.</summary>
/// <param name="Value">
/// Null, a <see cref="bool"/>, a <see cref="long"/>, a <see cref="double"/> or a <see cref="string"/>.
/// </param>
/// <param name="Span">The place in the text.</param>
public sealed record LiteralSyntax(object? Value, SourceSpan Span) : ExpressionSyntax(Span);
