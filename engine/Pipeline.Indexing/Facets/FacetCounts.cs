namespace Pipeline.Indexing;

/// <summary>The counts of one request.</summary>
/// <param name="Request">The request.</param>
/// <param name="Values">Values in the order of their first appearance in the index, or ranges as asked for.</param>
public sealed record FacetCounts(FacetRequest Request, IReadOnlyList<FacetBucket> Values)
{
    // A value with the array of its term's bytes; one aggregate with its share of the list.
    private const int ValueBytes = 96,
        AggregateBytes = 64;

    /// <summary>About how many bytes of memory the result holds.</summary>
    public long Bytes => BytesOf(Request, Values.Count);

    internal static long BytesOf(FacetRequest request, int values) =>
        values * (ValueBytes + ((long)AggregateBytes * request.Aggregates.Count));
}

/// <summary>A value or range with its count.</summary>
/// <param name="Name">The term's bytes, or the range's name in UTF-8.</param>
/// <param name="Count">How many entries have it; for values more than 0.</param>
/// <param name="Aggregates">What was asked for, in the order of the request.</param>
public readonly record struct FacetBucket(
    ReadOnlyMemory<byte> Name,
    long Count,
    IReadOnlyList<FacetAggregate> Aggregates
);
