namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>condition ? a : b</c>.</summary>
/// <param name="Condition">The condition.</param>
/// <param name="WhenTrue">The value if the condition holds.</param>
/// <param name="WhenFalse">The value if it does not hold.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ConditionalSyntax(
    ExpressionSyntax Condition,
    ExpressionSyntax WhenTrue,
    ExpressionSyntax WhenFalse,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Condition, WhenTrue, WhenFalse);
}
