using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Retention;
using Pipeline.Storage;

namespace Pipeline.Backups;

/// <summary>What is backed up where, and how. Immutable.</summary>
public sealed record BackupDefinition
{
    /// <summary>The name: letters, digits, '-', '_' and '.'.</summary>
    public required string Name { get; init; }

    /// <summary>Where the backups go; each has a state of its own.</summary>
    public required IReadOnlyList<DestinationDefinition> Destinations { get; init; }

    /// <summary>How chunks are compressed.</summary>
    public ChunkCompression Compression { get; init; } = ChunkCompression.ZstdFast;

    /// <summary>The key that backups are encrypted under; null where they are not.</summary>
    public StorageEncryption? Encryption { get; init; }

    /// <summary>Chunks that are worked on at once; null is two for each processor, so that some compress while others wait for the disk, and at least eight where a destination is remote.</summary>
    public int? Parallel { get; init; }

    /// <summary>The most bytes read in a second; null for as many as come.</summary>
    public long? MaxBytesPerSecond { get; init; }

    /// <summary>The mean time of a write to the journal from which on reading pauses, so that live writes stay quick; null for no pause.</summary>
    public TimeSpan? MaxWriteLatency { get; init; }

    /// <summary>
    /// The folder that a backup is written to first, and sent from when all of it is read, so that a slow destination holds back no reading; it needs room for what is new in the backup.
    /// Null (the default): it is sent while it is read.
    /// </summary>
    public string? StagingFolder { get; init; }

    /// <summary>Which backups stay.</summary>
    public RetentionPolicy Retention { get; init; } = new();

    /// <summary>When it is run by itself; null where only on request.</summary>
    public BackupSchedule? Schedule { get; init; }
}
