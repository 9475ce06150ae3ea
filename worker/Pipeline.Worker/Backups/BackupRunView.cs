using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;

namespace Pipeline.Worker.Backups;

/// <summary>What a run came to at one destination, as it goes over the wire.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup.</param>
/// <param name="Error">Why it failed.</param>
/// <param name="Removed">What retention removed.</param>
internal sealed record BackupRunView(string Destination, BackupManifest? Backup, string? Error, IReadOnlyList<string> Removed)
{
    /// <summary>The view of a report.</summary>
    public static BackupRunView Of(DestinationReport report) => new(report.Destination, report.Backup, report.Error?.Message, report.Removed);
}
