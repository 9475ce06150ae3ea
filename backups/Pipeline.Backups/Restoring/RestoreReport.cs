using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Restoring;

/// <summary>The result of a restore.</summary>
/// <param name="Backups">The backups that were applied, the full one first.</param>
/// <param name="Reached">The point that was reached.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Bytes">Bytes of content.</param>
/// <param name="Duration">How long it took.</param>
public sealed record RestoreReport(
    IReadOnlyList<string> Backups,
    BackupPoint Reached,
    long Documents,
    long Bytes,
    TimeSpan Duration
);
