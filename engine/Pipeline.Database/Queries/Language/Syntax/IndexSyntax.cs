namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>An element of an array, or a property by a computed name: <c>Lines[0]</c>.</summary>
/// <param name="Target">The array or object.</param>
/// <param name="Index">The number or name.</param>
/// <param name="Span">The place in the text.</param>
public sealed record IndexSyntax(ExpressionSyntax Target, ExpressionSyntax Index, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Target, Index);
}
