namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>field between low and high</c>; both ends belong to it.</summary>
/// <param name="Operand">The value to compare.</param>
/// <param name="Low">The lowest value.</param>
/// <param name="High">The highest value.</param>
/// <param name="Span">The place in the text.</param>
public sealed record BetweenSyntax(
    ExpressionSyntax Operand,
    ExpressionSyntax Low,
    ExpressionSyntax High,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand, Low, High);
}
