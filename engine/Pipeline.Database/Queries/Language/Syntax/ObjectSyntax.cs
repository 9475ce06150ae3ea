namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>An object that a query makes: <c>{ Name: o.Company, Total: o.Freight * 2 }</c>.</summary>
/// <param name="Properties">In the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ObjectSyntax(IReadOnlyList<ObjectPropertySyntax> Properties, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Properties.Select(p => p.Value));
}
