namespace Pipeline.Indexing;

/// <summary>The entries of a query, the score of each multiplied by a number of its own.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Field">The field with the numbers: of an entry the first one that was added as a double counts, 1 where it has none; finite, 0 or more.</param>
public sealed record EntryBoostQuery(Query Inner, string Field) : Query;
