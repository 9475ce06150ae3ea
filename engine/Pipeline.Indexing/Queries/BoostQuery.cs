namespace Pipeline.Indexing;

/// <summary>The entries of a query, with their scores multiplied.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Factor">What scores are multiplied by; finite, 0 or more.</param>
public sealed record BoostQuery(Query Inner, float Factor) : Query;
