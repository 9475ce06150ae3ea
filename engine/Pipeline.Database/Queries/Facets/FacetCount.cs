using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>A value or range with its count and what the numbers of other fields come to.</summary>
internal readonly record struct FacetCount(string Range, long Count, IReadOnlyList<FacetAggregate> Aggregates);
