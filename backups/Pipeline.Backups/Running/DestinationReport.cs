using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>What a run came to at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup; null where it failed.</param>
/// <param name="Error">Why it failed; null where it did not.</param>
public sealed record DestinationReport(string Destination, BackupManifest? Backup, Exception? Error)
{
    /// <summary>What retention has removed there.</summary>
    public IReadOnlyList<string> Removed { get; init; } = [];
}
