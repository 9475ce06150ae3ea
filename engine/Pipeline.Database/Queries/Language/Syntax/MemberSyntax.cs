namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A property of a value that is no path: <c>load(o.Company).Name</c>.</summary>
/// <param name="Target">The value.</param>
/// <param name="Name">The property.</param>
/// <param name="Span">The place in the text.</param>
public sealed record MemberSyntax(ExpressionSyntax Target, string Name, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Target);
}
