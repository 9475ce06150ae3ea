using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Restoring;

/// <summary>What was restored.</summary>
/// <param name="Backups">The backups that it was made of, the full one first.</param>
/// <param name="Reached">The moment that it is of.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Bytes">Bytes of content.</param>
/// <param name="Duration">How long it took.</param>
public sealed record RestoreReport(IReadOnlyList<string> Backups, BackupPoint Reached, long Documents, long Bytes, TimeSpan Duration);
