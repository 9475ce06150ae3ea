namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>What a query gives for each result.</summary>
/// <param name="IsDistinct">Whether equal results are given once.</param>
/// <param name="Items">What is given; one <see cref="ObjectSyntax"/> without alias is the whole result.</param>
/// <param name="Span">Where it stands.</param>
public sealed record SelectSyntax(bool IsDistinct, IReadOnlyList<AliasedSyntax> Items, SourceSpan Span)
{
    /// <summary>An object in JavaScript, braces included, that is more than the expressions of the query language; there are no items then.</summary>
    internal string? Script { get; init; }

    /// <summary>Why <see cref="Script"/> is no object of the query language.</summary>
    internal InvalidQueryException? Refusal { get; init; }
}
