namespace Pipeline.Database.Indexes;

/// <summary>The limits of indexing. Read once, at opening.</summary>
public sealed record IndexingOptions
{
    /// <summary>
    /// Whether indexes are updated in the background. If off, they do not change, for tools that only inspect.
    /// </summary>
    public bool Enabled { get; init; } = true;

    /// <summary>Bytes of memory of one batch. Default 256 MiB.</summary>
    public long MaxBatchBytes { get; init; } = 256L << 20;

    /// <summary>Time after which a batch is committed. Default 5 s.</summary>
    public TimeSpan MaxBatchTime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Batches at work at once, over all indexes; null: one for each two processors, at least one.</summary>
    public int? MaxConcurrentBatches { get; init; }

    /// <summary>
    /// The longest that a batch waits at a time for writers to go first. Default 20 ms; zero never waits.
    /// </summary>
    public TimeSpan MaxThrottle { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Share of documents that may fail before the index is in error. Default 0.15.</summary>
    public double MaxErrorShare { get; init; } = 0.15;

    /// <summary>Documents that must have been mapped before <see cref="MaxErrorShare"/> counts. Default 100.</summary>
    public int MinErrorSample { get; init; } = 100;

    /// <summary>Errors kept of each index, the newest. Default 500.</summary>
    public int MaxErrors { get; init; } = 500;

    /// <summary>
    /// Outputs of a group's part that are reduced at once; a larger part is cut in sixteen. Default 1,024.
    /// </summary>
    public int MaxReduceInputs { get; init; } = 1024;

    /// <summary>Time after which an automatic index that no query used is deleted. Default three days.</summary>
    public TimeSpan AutoIndexLifetime { get; init; } = TimeSpan.FromDays(3);

    /// <summary>The longest that a query waits for the automatic index that was made for it. Default 15 s.</summary>
    public TimeSpan NewIndexWait { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// The most automatic indexes of a database. A query that needs one more is refused. Default 100.
    /// </summary>
    public int MaxAutoIndexes { get; init; } = 100;

    /// <summary>
    /// The most fields of an automatic index, which has those of all queries on its collection. A query that needs one
    /// more is refused. Default 128.
    /// </summary>
    public int MaxAutoIndexFields { get; init; } = 128;

    /// <summary>
    /// The automatic indexes that several databases may have together; null for no limit beyond each database's own.
    /// Default null.
    /// </summary>
    public AutoIndexBudget? AutoIndexBudget { get; init; }

    /// <summary>The most indexes of a database. Default 1,000.</summary>
    public int MaxIndexes { get; init; } = 1000;
}
