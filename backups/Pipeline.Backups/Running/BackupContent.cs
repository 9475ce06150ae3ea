using Pipeline.Database.Backup;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>What was read for a backup.</summary>
/// <param name="From">The store before its first transaction; for a full one, as of the first pages.</param>
/// <param name="To">The store as of all of it.</param>
/// <param name="End">The place behind it in the journal.</param>
/// <param name="Snapshot">The database as of it.</param>
/// <param name="Transactions">Transactions in its journal.</param>
internal sealed record BackupContent(LogState From, LogState To, LogPosition End, BackupSnapshot Snapshot, long Transactions);
