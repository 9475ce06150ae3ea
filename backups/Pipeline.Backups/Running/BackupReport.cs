using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>The result of a run.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Destinations">The result at each destination.</param>
public sealed record BackupReport(string Name, TimeSpan Duration, IReadOnlyList<DestinationReport> Destinations)
{
    /// <summary>Whether the backup succeeded at every destination.</summary>
    public bool Succeeded => Destinations.All(d => d.Error is null);
}

/// <summary>The result of a run at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup; null if it failed.</param>
/// <param name="Error">Why it failed; null if it succeeded.</param>
public sealed record DestinationReport(string Destination, BackupManifest? Backup, Exception? Error)
{
    /// <summary>The backups that retention removed there.</summary>
    public IReadOnlyList<string> Removed { get; init; } = [];
}

/// <summary>The progress of a backup or a restore.</summary>
/// <param name="Stage">The current step.</param>
/// <param name="Done">Bytes of content processed.</param>
/// <param name="Total">All bytes of content; 0 if unknown.</param>
/// <param name="Sent">Bytes sent or fetched so far.</param>
public readonly record struct BackupProgress(string Stage, long Done, long Total, long Sent)
{
    /// <summary>
    /// Bytes of content that a full backup has read; 0 for other backups. The bytes beyond <see cref="Done"/> are in
    /// memory or in the staging folder, until a destination takes them.
    /// </summary>
    public long Read { get; init; }
}
