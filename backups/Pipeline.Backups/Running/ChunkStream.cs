namespace Pipeline.Backups.Running;

/// <summary>The stream that a chunk's content belongs to.</summary>
internal enum ChunkStream
{
    /// <summary>Pages of the data file.</summary>
    Pages,

    /// <summary>Transactions of the journal.</summary>
    Log,

    /// <summary>The list of the chunks of either stream.</summary>
    List,
}
