namespace Pipeline.Documents;

/// <summary>The state of a change feed consumer at one moment: its backlog, and the data that it holds back.</summary>
/// <param name="Name">Its name, which begins with its kind: <c>subscription/</c>, <c>etl/</c> or <c>index/</c>.</param>
/// <param name="Position">It has durably processed everything up to here.</param>
/// <param name="KeepsAfter">Tombstones after this position are kept for it; null if it needs none.</param>
/// <param name="Lag">The number of positions between its position and the database's last.</param>
/// <param name="Pending">
/// The backlog in its collections after its position, or after the snapshot that it resyncs from. It ignores queries
/// and filters that leave some out.
/// </param>
/// <param name="AgeSeconds">
/// The age of the oldest change in the backlog, at most the time since the consumer was created or moved; 0 without a
/// backlog.
/// </param>
/// <param name="HeldTombstones">
/// Tombstones, of all collections, that are not purged before it has passed them. Other consumers may need them too.
/// </param>
/// <param name="HeldTombstoneBytes">The bytes of their records.</param>
/// <param name="HeldSnapshotBytes">
/// Bytes of page versions in memory and of journal that its open snapshots keep.
/// </param>
/// <param name="SnapshotAgeSeconds">The age of its oldest open snapshot; 0 if it has none open.</param>
public sealed record ConsumerStatus(
    string Name,
    long Position,
    long? KeepsAfter,
    long Lag,
    ChangeBacklog Pending,
    double AgeSeconds,
    long HeldTombstones,
    long HeldTombstoneBytes,
    long HeldSnapshotBytes,
    double SnapshotAgeSeconds
)
{
    /// <summary>
    /// Whether the purge of tombstones waits longest for it (several consumers can share this place).
    /// </summary>
    public bool IsSlowest { get; init; }

    /// <summary>
    /// Former versions that the database's policy would remove and that stay because it has not passed them
    /// (<see cref="RevisionHold"/>). Others may need them too.
    /// </summary>
    public long HeldVersions { get; init; }

    /// <summary>The bytes of their records.</summary>
    public long HeldVersionBytes { get; init; }

    /// <summary>The part of <see cref="HeldSnapshotBytes"/> that is journal on disk.</summary>
    public long HeldJournalBytes { get; init; }

    /// <summary>
    /// The age of the oldest item kept for this consumer. A tombstone's age counts from the deletion, a version's from
    /// its replacement, a snapshot's from its opening. 0 if nothing is kept.
    /// </summary>
    public double HeldAgeSeconds { get; init; }

    /// <summary>
    /// All bytes that would not be kept without it: tombstones, versions, and page versions and journal for its
    /// snapshots. Documents do not count.
    /// </summary>
    public long HeldBytes => HeldTombstoneBytes + HeldVersionBytes + HeldSnapshotBytes;
}
