namespace Pipeline.Indexing;

/// <summary>A value or range with its count.</summary>
/// <param name="Name">The term's bytes, or the range's name in UTF-8.</param>
/// <param name="Count">How many entries have it; for values more than 0.</param>
/// <param name="Aggregates">What was asked for, in the order of the request.</param>
public readonly record struct FacetBucket(
    ReadOnlyMemory<byte> Name,
    long Count,
    IReadOnlyList<FacetAggregate> Aggregates
);
