namespace Pipeline.Backups.Chunks;

/// <summary>How chunks are compressed.</summary>
public enum ChunkCompression
{
    /// <summary>Zstandard level 1, the fastest useful level. Without libzstd, gzip.</summary>
    ZstdFast,

    /// <summary>Zstandard level 3. Without libzstd, gzip.</summary>
    Zstd,

    /// <summary>Zstandard level 12: slow and small. Without libzstd, gzip.</summary>
    ZstdSmall,

    /// <summary>gzip (Deflate).</summary>
    Gzip,

    /// <summary>No compression.</summary>
    None,
}
