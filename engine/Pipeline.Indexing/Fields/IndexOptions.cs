namespace Pipeline.Indexing;

/// <summary>The limits of an index. Read once, at opening.</summary>
public sealed record IndexOptions
{
    /// <summary>Bytes of memory at which a batch is full, unless it is given another bound. Default 256 MiB.</summary>
    public long MaxBatchBytes { get; init; } = 256L << 20;

    /// <summary>The most fields, fields that documents bring along included. Default 4,096; at most 65,535.</summary>
    public int MaxFields { get; init; } = 4096;

    /// <summary>Threads that prepare a commit. Default: one for each processor, at most 4.</summary>
    public int CommitThreads { get; init; } = Math.Min(Environment.ProcessorCount, 4);

    /// <summary>
    /// Deleted entries, in percent of all that posting lists have, from which a purge is worth it. Default 20.
    /// </summary>
    public int PurgePercent { get; init; } = 20;

    /// <summary>Bytes of changes at which a step of a purge ends; one list more may exceed it. Default 8 MiB.</summary>
    public long MaxPurgeStepBytes { get; init; } = 8L << 20;

    /// <summary>Readers that are kept for use again. Default 64.</summary>
    public int MaxPooledReaders { get; init; } = 64;
}
