using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>The result of a run at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup; null if it failed.</param>
/// <param name="Error">Why it failed; null if it succeeded.</param>
public sealed record DestinationReport(string Destination, BackupManifest? Backup, Exception? Error)
{
    /// <summary>The backups that retention removed there.</summary>
    public IReadOnlyList<string> Removed { get; init; } = [];
}
