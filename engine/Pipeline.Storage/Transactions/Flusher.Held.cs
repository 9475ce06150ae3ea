namespace Pipeline.Storage;

internal sealed unsafe partial class Flusher
{
    /// <summary>
    /// Counts what each of the snapshots, in ascending order, holds back: the transactions and the journal bytes not
    /// yet in the data file, and the page versions in memory.
    /// </summary>
    public (long Transactions, long Versions, long Bytes, long Journal)[] HeldBack(long[] snapshots)
    {
        var held = new (long Transactions, long Versions, long Bytes, long Journal)[snapshots.Length];
        if (snapshots.Length == 0)
            return held;
        lock (_committed)
        {
            foreach (var flush in _held)
                Count(flush.Versions, snapshots, held);
            foreach (var transaction in _committed)
            {
                Count(transaction.Versions, snapshots, held);
                if (Newest(snapshots, transaction.State.TransactionId) is var at and >= 0)
                {
                    held[at] = held[at] with
                    {
                        Transactions = held[at].Transactions + 1,
                        Journal = held[at].Journal + transaction.JournalBytes,
                    };
                }
            }
        }
        for (var i = held.Length - 2; i >= 0; i--)
        {
            var (behind, after) = (held[i], held[i + 1]);
            held[i] = (
                behind.Transactions + after.Transactions,
                behind.Versions + after.Versions,
                behind.Bytes + after.Bytes,
                behind.Journal + after.Journal
            );
        }
        return held;
    }

    private static void Count(
        nint[] versions,
        long[] snapshots,
        (long Transactions, long Versions, long Bytes, long Journal)[] held
    )
    {
        foreach (var entry in versions)
        {
            var version = (PageVersion*)entry;
            if (version == null || Newest(snapshots, version->TransactionId) is not (var at and >= 0))
                continue;
            var bytes =
                version->Kind == PageVersionKind.Freed
                    ? PageVersion.HeaderBytes
                    : (long)version->PageCount << PageLayout.PageShift;
            held[at] = held[at] with { Versions = held[at].Versions + 1, Bytes = held[at].Bytes + bytes };
        }
    }

    /// <summary>The newest of the snapshots that is older than the transaction, or -1.</summary>
    private static int Newest(long[] snapshots, long transaction)
    {
        var (low, high) = (0, snapshots.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (snapshots[middle] < transaction)
                low = middle + 1;
            else
                high = middle;
        }
        return low - 1;
    }
}
