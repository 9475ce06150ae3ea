namespace Pipeline.Database.Indexes;

/// <summary>
/// Tombstones were purged before a node's index had read them, so it may hold entries of deleted documents. The leader
/// purges what its indexes have read, and does not know what the indexes of followers have read.
/// </summary>
/// <param name="index">The index.</param>
/// <param name="position">How far it has come.</param>
/// <param name="purged">The position through which tombstones were purged.</param>
internal sealed class MissedDeletesException(string index, long position, long purged)
    : InvalidOperationException(
        $"Deletions up to position {purged} were purged before this node's index '{index}', at {position}, had read them. It is built anew."
    )
{
    /// <summary>The index.</summary>
    public string Index { get; } = index;

    /// <summary>How far it had come.</summary>
    public long Position { get; } = position;

    /// <summary>The position through which tombstones were purged.</summary>
    public long Purged { get; } = purged;
}
