using Pipeline.Backups.Manifests;
using Pipeline.Documents.Backup;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>The data read for a backup.</summary>
/// <param name="From">The store's state before the first transaction; for a full backup, as of the first pages.</param>
/// <param name="To">The store's state at the end.</param>
/// <param name="End">The position after it in the journal.</param>
/// <param name="Snapshot">The database at the end.</param>
/// <param name="Transactions">Transactions in its journal.</param>
/// <param name="Entry">The hash of the last of these transactions; null if there is none, or if it was not asked for.</param>
internal sealed record BackupContent(
    LogState From,
    LogState To,
    LogPosition End,
    BackupSnapshot Snapshot,
    long Transactions,
    string? Entry
);

/// <summary>The end of the backup that another continues.</summary>
/// <param name="Point">Its last transaction.</param>
/// <param name="Entry">
/// The hash of that transaction, which must then match; null if the checksum in <paramref name="Point"/> decides.
/// </param>
internal sealed record BackupBase(BackupPoint Point, string? Entry);
