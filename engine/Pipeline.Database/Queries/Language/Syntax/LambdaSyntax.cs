namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A function that a method calls for each element: <c>l => l.Price * l.Quantity</c>.</summary>
/// <param name="Parameters">The names of its parameters.</param>
/// <param name="Body">Its result.</param>
/// <param name="Span">The place in the text.</param>
public sealed record LambdaSyntax(IReadOnlyList<string> Parameters, ExpressionSyntax Body, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Body);
}
