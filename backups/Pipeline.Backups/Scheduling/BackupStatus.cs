using Pipeline.Backups.Running;

namespace Pipeline.Backups;

/// <summary>The status of one backup name at one destination, as of its last runs.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Destination">Kind and place.</param>
/// <param name="LastBackup">When the newest backup ended; null if there is none.</param>
/// <param name="LastVerified">When a backup was last verified or restored successfully; null if never.</param>
/// <param name="Backup">The newest backup.</param>
/// <param name="ContentBytes">Bytes of its content.</param>
/// <param name="StoredBytes">Bytes stored for it.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Problem">Why the last run failed; null if it succeeded.</param>
public sealed record BackupStatus(
    string Name,
    string Destination,
    DateTimeOffset? LastBackup,
    DateTimeOffset? LastVerified,
    string? Backup,
    long ContentBytes,
    long StoredBytes,
    TimeSpan Duration,
    string? Problem
)
{
    /// <summary>When each job is next due.</summary>
    public IReadOnlyDictionary<string, DateTimeOffset> Next { get; init; } = new Dictionary<string, DateTimeOffset>();

    /// <summary>The job that runs now; null if none does.</summary>
    public string? Running { get; init; }

    /// <summary>When the job that runs now began; null if none does.</summary>
    public DateTimeOffset? RunningSince { get; init; }

    /// <summary>The progress of the job that runs now; null if none does, or before its first step.</summary>
    public BackupProgress? Progress { get; init; }
}
