namespace Pipeline.Indexing;

/// <summary>The counts of one request.</summary>
/// <param name="Request">The request.</param>
/// <param name="Values">Values in the order of their first appearance in the index, or ranges as asked for.</param>
public sealed record FacetResult(FacetRequest Request, IReadOnlyList<FacetValue> Values);
