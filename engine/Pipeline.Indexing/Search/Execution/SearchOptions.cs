namespace Pipeline.Indexing;

/// <summary>How to run a query, and the limits on its resources. Immutable and thread-safe.</summary>
public sealed record SearchOptions
{
    /// <summary>The options used if none are given.</summary>
    public static SearchOptions Default { get; } = new();

    /// <summary>
    /// Where counting may stop, so that the search can pass over what cannot be among the best; null for the exact
    /// number. The default is exact.
    /// </summary>
    public int? CountUpTo { get; init; }

    /// <summary>
    /// The most memory that a query may hold at once for bitmaps, sorting and facets, in bytes. The default is 256 MiB.
    /// </summary>
    public long MaxMemoryBytes { get; init; } = 256L << 20;

    /// <summary>
    /// Called with the bytes of memory that a query takes, and with a negative number when it gives them back. An
    /// exception that it throws ends the query. Null: no count.
    /// </summary>
    public Action<long>? OnHeld { get; init; }

    /// <summary>
    /// How many terms a scored prefix, wildcard or fuzzy query may stand for. The default is 1,024. Queries that are
    /// not scored have no such limit.
    /// </summary>
    public int MaxScoredExpansions { get; init; } = 1024;

    /// <summary>
    /// How many hits are put in order at once when a result is streamed or paged deep; beyond, the query is run again
    /// from there. The default is 65,536.
    /// </summary>
    public int MaxSortWindow { get; init; } = 1 << 16;

    /// <summary>Whether the plan has the time of each step; measuring costs some time itself.</summary>
    public bool Timings { get; init; }
}
