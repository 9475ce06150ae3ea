namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>Conditions joined by <c>and</c>, or by <c>or</c>; a long chain is one node.</summary>
/// <param name="Operator">The operator that joins them.</param>
/// <param name="Operands">At least two, in the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record LogicalSyntax(LogicalOperator Operator, IReadOnlyList<ExpressionSyntax> Operands, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operands);
}
