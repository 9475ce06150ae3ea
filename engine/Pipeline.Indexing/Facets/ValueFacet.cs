namespace Pipeline.Indexing;

/// <summary>
/// Counts by value: terms of a field that is not analysed. An entry with several values counts for each.
/// </summary>
/// <param name="Field">The field.</param>
public sealed record ValueFacet(string Field) : FacetRequest(Field);
