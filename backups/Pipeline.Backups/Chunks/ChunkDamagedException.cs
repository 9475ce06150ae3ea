namespace Pipeline.Backups.Chunks;

/// <summary>A chunk's content does not match its name.</summary>
/// <param name="destination">The destination that stores it.</param>
/// <param name="id">The chunk.</param>
/// <param name="reason">What is wrong with it.</param>
public sealed class ChunkDamagedException(string destination, ChunkId id, string reason)
    : BackupException(
        $"{destination}: the chunk {id} {reason}. 'pipeline backup verify NAME --remove-damaged' removes the chunk, and the next full backup sends it again. Until then, use an older backup or another destination."
    )
{
    /// <summary>The chunk.</summary>
    public ChunkId Id { get; } = id;
}
