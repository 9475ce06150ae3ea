namespace Pipeline.Documents.Events;

/// <summary>The state of a stream's owner as of an event. Immutable.</summary>
public sealed record StreamSnapshot
{
    /// <summary>The number of the event up to which the state goes.</summary>
    public required long SequenceNumber { get; init; }

    /// <summary>When it was made.</summary>
    public required DateTimeOffset Timestamp { get; init; }

    /// <summary>The id of the payload's serializer.</summary>
    public int SerializerId { get; init; }

    /// <summary>The type of the payload. At most 4,096 bytes of UTF-8.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>A copy of the payload.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }
}

/// <summary>Which snapshots are meant; all limits are included.</summary>
/// <param name="MaxSequence">The highest number.</param>
/// <param name="MaxTime">The latest time.</param>
/// <param name="MinSequence">The lowest number.</param>
/// <param name="MinTime">The earliest time.</param>
public readonly record struct StreamSnapshotCriteria(
    long MaxSequence,
    DateTimeOffset MaxTime,
    long MinSequence,
    DateTimeOffset MinTime
)
{
    /// <summary>All of a stream.</summary>
    public static StreamSnapshotCriteria All { get; } =
        new(long.MaxValue, DateTimeOffset.MaxValue, 0, DateTimeOffset.MinValue);

    /// <summary>Those up to a number.</summary>
    /// <param name="sequence">The number.</param>
    public static StreamSnapshotCriteria UpTo(long sequence) => All with { MaxSequence = sequence };

    internal bool MatchesTime(long ticks) => ticks <= MaxTime.UtcTicks && ticks >= MinTime.UtcTicks;
}

/// <summary>Which data is removed when a snapshot is saved.</summary>
public sealed record SnapshotRetention
{
    /// <summary>How many of the newest snapshots of a stream stay, at least 1; null for all.</summary>
    public int? Keep { get; init; }

    /// <summary>
    /// Whether the events that all kept snapshots contain go, too; at most <see cref="EventOptions.DeleteBatch"/> a
    /// save. Needs <see cref="Keep"/>.
    /// </summary>
    public bool DeleteEvents { get; init; }
}
