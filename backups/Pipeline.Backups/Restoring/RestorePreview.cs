using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Backups.Restoring;

/// <summary>What a database would lose if a restore to a position replaced it.</summary>
/// <param name="From">The position to restore to.</param>
/// <param name="To">The database's current position.</param>
/// <param name="Collections">Documents written or deleted since, by collection.</param>
/// <param name="Newest">The ids of the last of them, newest first.</param>
public sealed record RestorePreview(
    long From,
    long To,
    IReadOnlyDictionary<string, RestorePreviewCounts> Collections,
    IReadOnlyList<string> Newest
)
{
    private const int MaxIds = 20;

    /// <summary>
    /// Compares the database with the position. Versions replaced since are not counted, because only each document's
    /// last version still exists.
    /// </summary>
    public static RestorePreview Of(DocumentDatabase database, long position, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(database);
        using var snapshot = database.OpenSnapshot("restore preview");
        var counts = new SortedDictionary<string, RestorePreviewCounts>(StringComparer.Ordinal);
        var newest = new Queue<string>();
        for (var after = position; ; )
        {
            ct.ThrowIfCancellationRequested();
            using var changes = snapshot.ReadChanges(after, ChangeFilter.AllWithDeletes);
            for (var i = 0; i < changes.Count; i++)
            {
                var change = changes[i];
                var known = counts.GetValueOrDefault(change.Collection) ?? new RestorePreviewCounts(0, 0);
                counts[change.Collection] =
                    change.Kind == ChangeKind.Put
                        ? known with
                        {
                            Written = known.Written + 1,
                        }
                        : known with
                        {
                            Deleted = known.Deleted + 1,
                        };
                newest.Enqueue(change.Id);
                if (newest.Count > MaxIds)
                    newest.Dequeue();
            }
            if (!changes.HasMore)
                return new RestorePreview(position, snapshot.LastPosition, counts, [.. newest.Reverse()]);
            after = changes.Through;
        }
    }
}

/// <summary>Documents of a collection that a restore would revert.</summary>
/// <param name="Written">Documents created or changed.</param>
/// <param name="Deleted">Deleted documents, which would exist again.</param>
public sealed record RestorePreviewCounts(long Written, long Deleted);
