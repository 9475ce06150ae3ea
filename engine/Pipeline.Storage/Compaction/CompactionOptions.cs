namespace Pipeline.Storage;

/// <summary>How a compaction goes about it.</summary>
public sealed record CompactionOptions
{
    /// <summary>
    /// The most bytes of pages to move per second, which leaves capacity for writers; 0 for no limit. Default 64 MiB.
    /// </summary>
    public long MaxBytesPerSecond { get; init; } = 64 << 20;
}
