using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>A value or range with its count and the aggregates of other fields' numbers.</summary>
internal readonly record struct FacetCount(string Range, long Count, IReadOnlyList<FacetAggregate> Aggregates);
