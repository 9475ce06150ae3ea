namespace Pipeline.Backups.Chunks;

/// <summary>How chunks are made smaller.</summary>
public enum ChunkCompression
{
    /// <summary>Zstandard at its level 1: the fastest that is worth it. gzip where there is no libzstd.</summary>
    ZstdFast,

    /// <summary>Zstandard at its level 3. gzip where there is no libzstd.</summary>
    Zstd,

    /// <summary>Zstandard at its level 12: slow and small. gzip where there is no libzstd.</summary>
    ZstdSmall,

    /// <summary>gzip (Deflate).</summary>
    Gzip,

    /// <summary>Not at all.</summary>
    None,
}
