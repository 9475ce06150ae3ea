namespace Pipeline.Backups.Restoring;

/// <summary>A point to restore to. At most one of position and time may be set.</summary>
public sealed record RestorePoint
{
    /// <summary>The backup's id; null for the newest one, or the newest that reaches the position or time.</summary>
    public string? Backup { get; init; }

    /// <summary>
    /// The highest position to restore: the result ends with the last commit that does not exceed it.
    /// </summary>
    public long? Position { get; init; }

    /// <summary>The time to restore to: the result ends with the last commit up to it.</summary>
    public DateTimeOffset? Time { get; init; }
}
