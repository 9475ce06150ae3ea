namespace Pipeline.Indexing;

/// <summary>The results of a query.</summary>
/// <param name="Hits">The hits asked for, in their order.</param>
/// <param name="Total">
/// How many entries match in all; a lower bound if <paramref name="TotalIsExact"/> is false.
/// </param>
/// <param name="TotalIsExact">Whether all were counted.</param>
/// <param name="Plan">How the query was run.</param>
public sealed record SearchResult(IReadOnlyList<Hit> Hits, long Total, bool TotalIsExact, PlanNode Plan);
