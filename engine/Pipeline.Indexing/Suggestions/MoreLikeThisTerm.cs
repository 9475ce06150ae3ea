namespace Pipeline.Indexing.Suggestions;

/// <summary>A term of a query for texts like another.</summary>
/// <param name="Field">The field that it is looked for in.</param>
/// <param name="Term">The term, in UTF-8.</param>
/// <param name="Weight">What it counts in the query.</param>
public readonly record struct MoreLikeThisTerm(string Field, ReadOnlyMemory<byte> Term, float Weight);
