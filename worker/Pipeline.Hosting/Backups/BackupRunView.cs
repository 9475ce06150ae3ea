using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;

namespace Pipeline.Hosting.Backups;

/// <summary>The result of a run at one destination, as sent over HTTP.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup.</param>
/// <param name="Error">Why it failed.</param>
/// <param name="Removed">The backups that retention removed.</param>
internal sealed record BackupRunView(
    string Destination,
    BackupManifest? Backup,
    string? Error,
    IReadOnlyList<string> Removed
)
{
    /// <summary>Creates the view of a report.</summary>
    public static BackupRunView Of(DestinationReport report) =>
        new(report.Destination, report.Backup, report.Error?.Message, report.Removed);
}
