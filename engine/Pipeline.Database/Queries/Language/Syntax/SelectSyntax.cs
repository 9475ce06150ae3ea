namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>What a query gives for each result.</summary>
/// <param name="IsDistinct">Whether equal results are given once.</param>
/// <param name="Items">What is given; one <see cref="ObjectSyntax"/> without alias is the whole result.</param>
/// <param name="Span">Where it stands.</param>
public sealed record SelectSyntax(bool IsDistinct, IReadOnlyList<AliasedSyntax> Items, SourceSpan Span);
