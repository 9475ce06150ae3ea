namespace Pipeline.Database;

/// <summary>A consumer of the change feed at one moment: what waits for it, and what is kept because of it.</summary>
/// <param name="Name">Its name, which begins with its kind: <c>subscription/</c>, <c>etl/</c> or <c>index/</c>.</param>
/// <param name="Position">Everything up to here is dealt with, durably.</param>
/// <param name="KeepsAfter">Tombstones after this position are kept for it; null where it needs none.</param>
/// <param name="Lag">Positions between its own and the database's last.</param>
/// <param name="Pending">What waits for it in its collections after its position, or after the snapshot that it resyncs from. A query or filter that leaves some out is not asked.</param>
/// <param name="AgeSeconds">The age of the oldest change that waits, at most the time since the consumer was made or moved; 0 where nothing waits.</param>
/// <param name="HeldTombstones">Tombstones, of all collections, that are not purged before it has passed them. Others may need them too.</param>
/// <param name="HeldTombstoneBytes">The bytes of their records.</param>
/// <param name="HeldSnapshotBytes">Bytes of page versions in memory and of journal that its open snapshots keep.</param>
/// <param name="SnapshotAgeSeconds">The age of its oldest open snapshot; 0 where it has none open.</param>
public sealed record ConsumerStatus(
    string Name, long Position, long? KeepsAfter, long Lag, ChangeBacklog Pending, double AgeSeconds, long HeldTombstones, long HeldTombstoneBytes, long HeldSnapshotBytes, double SnapshotAgeSeconds)
{
    /// <summary>Whether it is the one, or one of those, that purging of tombstones waits for most.</summary>
    public bool IsSlowest { get; init; }

    /// <summary>Former versions that the database's policy would remove and that stay because it has not passed them (<see cref="RevisionHold"/>). Others may need them too.</summary>
    public long HeldVersions { get; init; }

    /// <summary>The bytes of their records.</summary>
    public long HeldVersionBytes { get; init; }

    /// <summary>The part of <see cref="HeldSnapshotBytes"/> that is journal on disk.</summary>
    public long HeldJournalBytes { get; init; }

    /// <summary>The age of the oldest of what is kept because of it: a tombstone since the deletion, a version since it was replaced, a snapshot since it was opened; 0 where nothing is.</summary>
    public double HeldAgeSeconds { get; init; }

    /// <summary>All bytes that would not be kept without it: tombstones, versions, and page versions and journal for its snapshots. Documents are there anyway.</summary>
    public long HeldBytes => HeldTombstoneBytes + HeldVersionBytes + HeldSnapshotBytes;
}
