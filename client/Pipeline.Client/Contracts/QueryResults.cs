namespace Pipeline.Client;

/// <summary>A page of results.</summary>
/// <param name="Items">The results.</param>
/// <param name="Statistics">Total, index and staleness.</param>
public sealed record QueryResults<T>(IReadOnlyList<T> Items, QueryStatistics Statistics);

/// <summary>How a query was answered.</summary>
/// <param name="IndexName">The index or collection.</param>
/// <param name="Total">The results of all pages.</param>
/// <param name="IsStale">Whether changes were missing in the index.</param>
public sealed record QueryStatistics(string IndexName, long Total, bool IsStale);
