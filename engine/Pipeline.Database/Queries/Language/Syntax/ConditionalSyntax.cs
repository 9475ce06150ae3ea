namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>condition ? a : b</c>.</summary>
/// <param name="Condition">What decides.</param>
/// <param name="WhenTrue">The value where it holds.</param>
/// <param name="WhenFalse">The value where it does not.</param>
/// <param name="Span">Where it stands.</param>
public sealed record ConditionalSyntax(ExpressionSyntax Condition, ExpressionSyntax WhenTrue, ExpressionSyntax WhenFalse, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Condition, WhenTrue, WhenFalse);
}
