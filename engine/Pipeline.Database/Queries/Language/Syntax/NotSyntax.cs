namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A condition that must not hold.</summary>
/// <param name="Operand">The condition.</param>
/// <param name="Span">The place in the text.</param>
public sealed record NotSyntax(ExpressionSyntax Operand, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand);
}
