namespace Pipeline.Indexing;

/// <summary>The entries of a query, all with the same score.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Score">The score; finite, 0 or more.</param>
public sealed record ConstantScoreQuery(Query Inner, float Score = 1) : Query;
