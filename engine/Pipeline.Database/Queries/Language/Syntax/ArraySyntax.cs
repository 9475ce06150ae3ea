namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>An array that a query makes: <c>[a, b]</c>.</summary>
/// <param name="Elements">In the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ArraySyntax(IReadOnlyList<ExpressionSyntax> Elements, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Elements);
}
