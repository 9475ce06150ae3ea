using Pipeline.Storage;

namespace Pipeline.Documents.Backup;

/// <summary>The facts that a backup records about its database.</summary>
/// <param name="DatabaseId">The database's id.</param>
/// <param name="Position">The last position.</param>
/// <param name="Documents">How many documents there are.</param>
/// <param name="Tombstones">How many deletions the change feed has.</param>
/// <param name="Collections">How many documents each collection has.</param>
public sealed record BackupSnapshot(
    string DatabaseId,
    long Position,
    long Documents,
    long Tombstones,
    IReadOnlyDictionary<string, long> Collections
)
{
    /// <summary>Looks at a snapshot of a database's storage. Costs little.</summary>
    /// <param name="database">The database.</param>
    /// <param name="transaction">The snapshot; the caller's.</param>
    public static BackupSnapshot Of(DocumentStorage database, ReadTransaction transaction)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(transaction);
        var snapshot = new DatabaseSnapshot(database, transaction);
        var statistics = snapshot.GetStatistics();
        return new BackupSnapshot(
            database.Id.ToString(),
            snapshot.LastPosition,
            statistics.Documents,
            statistics.Tombstones,
            statistics.Collections.ToDictionary(c => c.Name, c => c.Documents, StringComparer.Ordinal)
        );
    }
}
