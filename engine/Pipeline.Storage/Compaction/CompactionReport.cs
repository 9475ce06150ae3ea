namespace Pipeline.Storage;

/// <summary>The result of a compaction.</summary>
/// <param name="PagesMoved">Pages moved to lower places.</param>
/// <param name="PagesBefore">Pages up to the highest in use, before.</param>
/// <param name="PagesAfter">The same, after.</param>
/// <param name="UsedPages">
/// Pages in use after it. <paramref name="PagesAfter"/> is larger if others wrote during the compaction, or if no gap
/// fitted a large value.
/// </param>
/// <param name="FileBytesBefore">Bytes of the data file before.</param>
/// <param name="FileBytesAfter">Bytes of the data file after.</param>
/// <param name="IsCut">
/// Whether the file has been cut to the pages that are left. If not, a read transaction still holds a snapshot from
/// before; the file is cut when it has ended.
/// </param>
public sealed record CompactionReport(
    long PagesMoved,
    long PagesBefore,
    long PagesAfter,
    long UsedPages,
    long FileBytesBefore,
    long FileBytesAfter,
    bool IsCut
);

/// <summary>How far a compaction is.</summary>
/// <param name="PagesMoved">Pages moved up to now.</param>
/// <param name="PageCount">Pages up to the highest that is in use.</param>
/// <param name="UsedPages">Pages in use: what the page count can come down to.</param>
public sealed record CompactionProgress(long PagesMoved, long PageCount, long UsedPages);

/// <summary>How a compaction goes about it.</summary>
public sealed record CompactionOptions
{
    /// <summary>
    /// The most bytes of pages to move per second, which leaves capacity for writers; 0 for no limit. Default 64 MiB.
    /// </summary>
    public long MaxBytesPerSecond { get; init; } = 64 << 20;
}
