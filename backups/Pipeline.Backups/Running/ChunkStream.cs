namespace Pipeline.Backups.Running;

/// <summary>What a chunk's content is part of.</summary>
internal enum ChunkStream
{
    /// <summary>Pages of the data file.</summary>
    Pages,

    /// <summary>Transactions of the journal.</summary>
    Log,

    /// <summary>The list of the chunks of the one or the other.</summary>
    List,
}
