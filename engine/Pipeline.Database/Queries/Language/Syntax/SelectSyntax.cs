namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>The content of each result of a query.</summary>
/// <param name="IsDistinct">Whether equal results are returned once.</param>
/// <param name="Items">The selected items; one <see cref="ObjectSyntax"/> without alias is the whole result.</param>
/// <param name="Span">The place in the text.</param>
public sealed record SelectSyntax(bool IsDistinct, IReadOnlyList<AliasedSyntax> Items, SourceSpan Span)
{
    /// <summary>
    /// An object in JavaScript, braces included, that is more than the expressions of the query language; there are no
    /// items then.
    /// </summary>
    internal string? Script { get; init; }

    /// <summary>Why <see cref="Script"/> is no object of the query language.</summary>
    internal InvalidQueryException? Refusal { get; init; }
}
