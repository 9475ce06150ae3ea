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
