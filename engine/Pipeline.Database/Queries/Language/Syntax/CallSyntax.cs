namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A function of the query language, or a method of a value.</summary>
/// <param name="Target">The value whose method it is; null for a function.</param>
/// <param name="Name">The name; of a known function as it is documented (<c>startsWith</c>, <c>spatial.within</c>), whatever its case in the text.</param>
/// <param name="Arguments">What it is given.</param>
/// <param name="Span">Where it stands.</param>
public sealed record CallSyntax(ExpressionSyntax? Target, string Name, IReadOnlyList<ExpressionSyntax> Arguments, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    /// <summary>What an aggregate within <c>facet()</c> is called in the result: <c>sum(Total) as T</c>. Null of all others.</summary>
    public string? Alias { get; init; }

    internal override int Height { get; } = Above(Target is null ? Arguments : Arguments.Append(Target));
}
