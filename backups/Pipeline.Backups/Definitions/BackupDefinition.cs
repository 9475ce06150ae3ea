using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Storage;

namespace Pipeline.Backups;

/// <summary>What to back up, where to, and how. Immutable.</summary>
public sealed record BackupDefinition
{
    /// <summary>The name: letters, digits, '-', '_' and '.'.</summary>
    public required string Name { get; init; }

    /// <summary>Where the backups go. A failure of one destination does not affect the others.</summary>
    public required IReadOnlyList<DestinationDefinition> Destinations { get; init; }

    /// <summary>How chunks are compressed.</summary>
    public ChunkCompression Compression { get; init; } = ChunkCompression.ZstdFast;

    /// <summary>The key that encrypts the backups; null for no encryption.</summary>
    public StorageEncryption? Encryption { get; init; }

    /// <summary>
    /// Chunks processed at once. Null is two per processor, so that some compress while others wait for the disk, and
    /// at least eight if a destination is remote.
    /// </summary>
    public int? Parallel { get; init; }

    /// <summary>The most bytes read per second; null for no limit.</summary>
    public long? MaxBytesPerSecond { get; init; }

    /// <summary>
    /// Reading pauses while the mean time of a journal write exceeds this, so that live writes stay fast; null for no
    /// pause.
    /// </summary>
    public TimeSpan? MaxWriteLatency { get; init; }

    /// <summary>
    /// A folder that receives the backup first; sending starts once all of it is read, so a slow destination does not
    /// delay reading. It needs space for the new part of the backup. Null (the default) sends while reading.
    /// </summary>
    public string? StagingFolder { get; init; }

    /// <summary>Which backups are kept.</summary>
    public RetentionPolicy Retention { get; init; } = new();

    /// <summary>
    /// Which node of a cluster makes the backups: <see cref="AtLeader"/>, <see cref="AtFollower"/>, or a node's name.
    /// </summary>
    public string Node { get; init; } = AtLeader;

    /// <summary>The <see cref="Node"/> of backups that the leader makes.</summary>
    public const string AtLeader = "leader";

    /// <summary>The <see cref="Node"/> of backups that the follower makes that has read most of the log.</summary>
    public const string AtFollower = "follower";

    /// <summary>When it runs; null to run only on request.</summary>
    public BackupSchedule? Schedule { get; init; }
}
