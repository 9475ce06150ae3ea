namespace Pipeline.Documents.Events;

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
