namespace Pipeline.Backups.Chunks;

/// <summary>A chunk is not what its name says.</summary>
/// <param name="destination">Where it lies.</param>
/// <param name="id">The chunk.</param>
/// <param name="reason">What is wrong with it.</param>
public sealed class ChunkDamagedException(string destination, ChunkId id, string reason)
    : BackupException($"{destination}: the chunk {id} {reason}. 'pipeline backup verify NAME --mend' takes it away, so that the next full backup sends it again; use an older backup, or another destination, until then.")
{
    /// <summary>The chunk.</summary>
    public ChunkId Id { get; } = id;
}
