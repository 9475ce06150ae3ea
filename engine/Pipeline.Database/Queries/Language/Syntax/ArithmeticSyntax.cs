namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>An arithmetic operation on two values.</summary>
/// <param name="Operator">How.</param>
/// <param name="Left">The value on the left.</param>
/// <param name="Right">The value on the right.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ArithmeticSyntax(
    ArithmeticOperator Operator,
    ExpressionSyntax Left,
    ExpressionSyntax Right,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Left, Right);
}
