using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>The result of a compaction, as JSON.</summary>
internal sealed record CompactionView(
    long PagesMoved,
    long FileBytesBefore,
    long FileBytesAfter,
    long AllocatedBytes,
    long UsedBytes,
    bool IsCut
)
{
    /// <summary>Creates the view of a compaction that has just ended.</summary>
    public static CompactionView Of(CompactionReport report, StorageStatistics figures) =>
        new(
            report.PagesMoved,
            report.FileBytesBefore,
            report.FileBytesAfter,
            figures.DataFileAllocatedBytes,
            figures.UsedPages * 8192,
            report.IsCut
        );
}
