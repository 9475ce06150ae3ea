namespace Pipeline.Backups;

/// <summary>One backup name at one destination, as of its last runs.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Destination">Kind and place.</param>
/// <param name="LastBackup">When the newest backup ended; null where there is none.</param>
/// <param name="LastVerified">When one was verified or restored last, with success; null where never.</param>
/// <param name="Backup">The newest backup.</param>
/// <param name="ContentBytes">Bytes of its content.</param>
/// <param name="StoredBytes">Bytes stored for it.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Problem">Why the last run failed; null where it did not.</param>
public sealed record BackupStatus(
    string Name, string Destination, DateTimeOffset? LastBackup, DateTimeOffset? LastVerified, string? Backup, long ContentBytes, long StoredBytes, TimeSpan Duration, string? Problem)
{
    /// <summary>When each job is due next.</summary>
    public IReadOnlyDictionary<string, DateTimeOffset> Next { get; init; } = new Dictionary<string, DateTimeOffset>();

    /// <summary>What runs now; null where nothing does.</summary>
    public string? Running { get; init; }
}
