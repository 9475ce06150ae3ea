namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A number with the other sign. Of a literal it is the literal itself.</summary>
/// <param name="Operand">The number.</param>
/// <param name="Span">The place in the text.</param>
public sealed record NegateSyntax(ExpressionSyntax Operand, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand);
}
