namespace Pipeline.Database.Indexes;

/// <summary>The work and cost of one batch of an index.</summary>
public sealed record IndexBatchStatistics
{
    /// <summary>When it began.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>Changes read.</summary>
    public int Changes { get; init; }

    /// <summary>Documents mapped, those again that had loaded a changed one among them.</summary>
    public int Documents { get; init; }

    /// <summary>Documents whose entries were deleted because they are gone.</summary>
    public int Deletes { get; init; }

    /// <summary>Entries made.</summary>
    public int Entries { get; init; }

    /// <summary>Groups reduced.</summary>
    public int Groups { get; init; }

    /// <summary>Documents and groups that failed.</summary>
    public int Errors { get; init; }

    /// <summary>Bytes of the documents mapped.</summary>
    public long DocumentBytes { get; init; }

    /// <summary>The most memory that the batch held.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>Time to read changes and to map, analyse and collect.</summary>
    public TimeSpan MapTime { get; init; }

    /// <summary>Time to reduce.</summary>
    public TimeSpan ReduceTime { get; init; }

    /// <summary>Time to make the commit ready and to write it.</summary>
    public TimeSpan CommitTime { get; init; }

    /// <summary>Time in which it waited for writers.</summary>
    public TimeSpan ThrottledTime { get; init; }

    /// <summary>Position up to which the index is complete after it.</summary>
    public long Through { get; init; }
}
