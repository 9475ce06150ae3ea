namespace Pipeline.Storage;

/// <summary>Figures of one kind of IO since the store was opened.</summary>
/// <param name="Kind">Which.</param>
/// <param name="Count">How often.</param>
/// <param name="Bytes">All bytes.</param>
/// <param name="Duration">All time.</param>
/// <param name="Longest">The longest one.</param>
/// <param name="Durations">
/// How many took less than each bound: powers of two of a microsecond, ascending; empty ones at both ends left out.
/// </param>
/// <param name="Sizes">
/// How many were of fewer bytes than each bound: powers of two, ascending; empty ones at both ends left out.
/// </param>
/// <param name="Recent">The last 256, oldest first.</param>
public sealed record IoStatistics(
    IoKind Kind,
    long Count,
    long Bytes,
    TimeSpan Duration,
    TimeSpan Longest,
    IReadOnlyList<(TimeSpan Below, long Count)> Durations,
    IReadOnlyList<(long Below, long Count)> Sizes,
    IReadOnlyList<IoOperation> Recent
)
{
    /// <summary>Bytes a second while it was being done; 0 where the clock saw no time pass.</summary>
    public double BytesPerSecond => Duration > TimeSpan.Zero ? Bytes / Duration.TotalSeconds : 0;

    /// <summary>
    /// The bound of the histogram below which so large a share lies, for example 0.99; at most <see cref="Longest"/>.
    /// </summary>
    public TimeSpan Percentile(double share)
    {
        var left = (long)Math.Ceiling(Count * share);
        foreach (var (below, count) in Durations)
        {
            if ((left -= count) <= 0)
                return below < Longest ? below : Longest;
        }
        return Longest;
    }
}

/// <summary>The kinds of file operations of a store.</summary>
public enum IoKind
{
    /// <summary>One journal entry, or 1 GiB of one, written.</summary>
    JournalWrite,

    /// <summary>
    /// The sync that makes journal entries durable; its size is the bytes written since the previous sync.
    /// </summary>
    JournalSync,

    /// <summary>Journal files made ready in advance: zeros, headers, their syncs.</summary>
    JournalPrepare,

    /// <summary>Neighbouring pages written to the data file in one write.</summary>
    DataWrite,

    /// <summary>A sync of the data file; its size is the bytes written since the previous sync.</summary>
    DataSync,

    /// <summary>A whole flush to the data file: writes, syncs, meta page.</summary>
    Flush,

    /// <summary>Releasing free space of the data file to the file system.</summary>
    PunchHole,
}

/// <summary>One thing that was done to a file.</summary>
/// <param name="EndedAt">When it was done.</param>
/// <param name="Bytes">Its size.</param>
/// <param name="Duration">How long it took.</param>
public readonly record struct IoOperation(DateTimeOffset EndedAt, long Bytes, TimeSpan Duration)
{
    /// <summary>Bytes a second; 0 where the clock saw no time pass.</summary>
    public double BytesPerSecond => Duration > TimeSpan.Zero ? Bytes / Duration.TotalSeconds : 0;
}
