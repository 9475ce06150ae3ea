namespace Pipeline.Backups;

/// <summary>When backups are made by themselves.</summary>
public sealed record BackupSchedule
{
    /// <summary>When full ones are made: a cron expression of six or seven fields, as Quartz reads it.</summary>
    public string? Full { get; init; }

    /// <summary>When incremental ones are made.</summary>
    public string? Incremental { get; init; }

    /// <summary>When the newest backup is restored into a scratch folder and looked at.</summary>
    public string? Drill { get; init; }

    /// <summary>The zone of the expressions and blackouts.</summary>
    public TimeZoneInfo TimeZone { get; init; } = TimeZoneInfo.Utc;

    /// <summary>A run begins up to so much later than the expression says, by chance, so that many workers do not begin at once.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>What is done about a run that was missed because no worker ran, or because another one had not ended.</summary>
    public MissedRunPolicy Missed { get; init; } = MissedRunPolicy.RunOnce;

    /// <summary>Times of the day at which no run begins.</summary>
    public IReadOnlyList<BlackoutWindow> Blackouts { get; init; } = [];

    /// <summary>The age of the newest backup over which the worker's health is degraded; null for none.</summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>The time since the last backup was verified over which the worker's health is degraded; null for none.</summary>
    public TimeSpan? MaxVerifiedAge { get; init; }
}
