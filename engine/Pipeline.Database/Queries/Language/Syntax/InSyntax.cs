namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>field in (…)</c>: one of the values; <c>field all in (…)</c>: every one of them.</summary>
/// <param name="Operand">The value to compare.</param>
/// <param name="Values">The values; a parameter among them may be an array.</param>
/// <param name="IsAll">Whether every value must be there.</param>
/// <param name="Span">The place in the text.</param>
public sealed record InSyntax(
    ExpressionSyntax Operand,
    IReadOnlyList<ExpressionSyntax> Values,
    bool IsAll,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Values.Append(Operand));
}
