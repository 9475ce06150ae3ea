namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>What a method does with each element: <c>l => l.Price * l.Quantity</c>.</summary>
/// <param name="Parameters">The names of its parameters.</param>
/// <param name="Body">The value that it gives.</param>
/// <param name="Span">Where it stands.</param>
public sealed record LambdaSyntax(IReadOnlyList<string> Parameters, ExpressionSyntax Body, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Body);
}
