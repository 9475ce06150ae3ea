namespace Pipeline.Backups;

/// <summary>When backups run.</summary>
public sealed record BackupSchedule
{
    /// <summary>When full backups run: a cron expression of six or seven fields, as Quartz reads it.</summary>
    public string? Full { get; init; }

    /// <summary>When incremental backups run.</summary>
    public string? Incremental { get; init; }

    /// <summary>When a drill restores the newest backup into a scratch folder and checks it.</summary>
    public string? Drill { get; init; }

    /// <summary>The time zone of the expressions and blackouts.</summary>
    public TimeZoneInfo TimeZone { get; init; } = TimeZoneInfo.Utc;

    /// <summary>A random delay of up to this much before each run, so that many workers do not start at once.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>
    /// What happens to a run that was missed because no worker ran, or because another run had not ended.
    /// </summary>
    public MissedRunPolicy Missed { get; init; } = MissedRunPolicy.RunOnce;

    /// <summary>Times of the day at which no run starts.</summary>
    public IReadOnlyList<BlackoutWindow> Blackouts { get; init; } = [];

    /// <summary>The worker's health is degraded if the newest backup is older than this; null for no limit.</summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>
    /// The worker's health is degraded if the last verification of a backup is older than this; null for no limit.
    /// </summary>
    public TimeSpan? MaxVerifiedAge { get; init; }
}

/// <summary>A time of each day at which no run starts; a run due then starts at its end.</summary>
/// <param name="Start">The first moment.</param>
/// <param name="End">The first moment after it; if it is not later than the start, it is on the next day.</param>
public sealed record BlackoutWindow(TimeOnly Start, TimeOnly End)
{
    /// <summary>Whether a time of the day lies within.</summary>
    public bool Contains(TimeOnly time) => time.IsBetween(Start, End);
}

/// <summary>What happens to scheduled runs that were missed.</summary>
public enum MissedRunPolicy
{
    /// <summary>One run starts at once and makes up for all of them.</summary>
    RunOnce,

    /// <summary>Missed runs are skipped; the schedule continues with the next run.</summary>
    Skip,
}
