using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>The end of the backup that another continues.</summary>
/// <param name="Point">Its last transaction.</param>
/// <param name="Entry">
/// The hash of that transaction, which must then match; null if the checksum in <paramref name="Point"/> decides.
/// </param>
internal sealed record BackupBase(BackupPoint Point, string? Entry);
