using Pipeline.Backups.Manifests;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// Finds out which backups the journal of this node continues, whichever node made them: those whose last transaction is
/// in it.
/// </summary>
internal static class JournalProof
{
    /// <summary>Finds the backups that the journal behind a position continues, the newest first.</summary>
    /// <exception cref="LogUnavailableException">The journal behind the position cannot be read.</exception>
    public static IReadOnlyList<BackupManifest> Find(
        StorageEnvironment storage,
        LogPosition held,
        IEnumerable<BackupManifest> backups,
        CancellationToken ct
    )
    {
        var last = storage.LastCommittedTransaction;
        var byEnd = backups
            .Where(b => b.ToEntry is not null && b.To.Transaction > held.Transaction && b.To.Transaction <= last)
            .GroupBy(b => b.To.Transaction)
            .ToDictionary(g => g.Key, g => g.OrderBy(b => b.Ended).ToList());
        var found = new List<BackupManifest>();
        if (byEnd.Count == 0)
            return found;
        storage.ReadLogPiece(
            held,
            byEnd.Keys.Max(),
            (state, count, records) =>
            {
                if (!byEnd.TryGetValue(state.Transaction, out var ending))
                    return;
                var entry = EntryHash.Of(state, count, records);
                found.AddRange(ending.Where(b => b.ToEntry == entry));
            },
            ct
        );
        found.Reverse();
        return found;
    }

    /// <summary>The hash of a committed transaction; null if the journal behind the position does not have it.</summary>
    public static string? TryHash(StorageEnvironment storage, LogPosition held, long transaction, CancellationToken ct)
    {
        string? found = null;
        if (transaction <= held.Transaction)
            return null;
        try
        {
            storage.ReadLogPiece(
                held,
                transaction,
                (state, count, records) =>
                {
                    if (state.Transaction == transaction)
                        found = EntryHash.Of(state, count, records);
                },
                ct
            );
        }
        catch (LogUnavailableException)
        {
            // Another node cannot continue the backup then, and makes a full one.
            found = null;
        }
        return found;
    }
}
