namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A function of the query language, or a method of a value.</summary>
/// <param name="Target">The value whose method is called; null for a function.</param>
/// <param name="Name">
/// The name; for a known function in its documented spelling (<c>startsWith</c>, <c>spatial.within</c>), whatever its
/// case in the text.
/// </param>
/// <param name="Arguments">The arguments.</param>
/// <param name="Span">The place in the text.</param>
public sealed record CallSyntax(
    ExpressionSyntax? Target,
    string Name,
    IReadOnlyList<ExpressionSyntax> Arguments,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    /// <summary>
    /// The result name of an aggregate within <c>facet()</c>: <c>sum(Total) as T</c>. Null for all other calls.
    /// </summary>
    public string? Alias { get; init; }

    internal override int Height { get; } = Above(Target is null ? Arguments : Arguments.Append(Target));
}
