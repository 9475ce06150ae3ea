namespace Pipeline.Backups.Restoring;

/// <summary>What to restore to. At most one of position and time.</summary>
public sealed record RestorePoint
{
    /// <summary>The backup's id; null for the newest one that reaches the position or time, or for the newest one.</summary>
    public string? Backup { get; init; }

    /// <summary>The last position of a document's change that is to be there: the last commit that goes no further is restored.</summary>
    public long? Position { get; init; }

    /// <summary>The last commit up to this moment is restored.</summary>
    public DateTimeOffset? Time { get; init; }
}
