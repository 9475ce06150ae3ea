namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>Two values compared.</summary>
/// <param name="Operator">How.</param>
/// <param name="Left">The value on the left: in a condition a field or a function of it.</param>
/// <param name="Right">The value on the right.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ComparisonSyntax(
    ComparisonOperator Operator,
    ExpressionSyntax Left,
    ExpressionSyntax Right,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Left, Right);
}
