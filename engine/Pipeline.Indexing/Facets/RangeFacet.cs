namespace Pipeline.Indexing;

/// <summary>
/// Counts by ranges of numbers, which may overlap. An entry with several numbers counts once for each range that one of
/// them lies in.
/// </summary>
/// <param name="Field">The field.</param>
/// <param name="Ranges">The ranges.</param>
public sealed record RangeFacet(string Field, IReadOnlyList<FacetRange> Ranges) : FacetRequest(Field);
