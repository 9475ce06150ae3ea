namespace Pipeline.Storage;

internal sealed unsafe partial class Flusher
{
    /// <summary>For each of some snapshots, in ascending order: the committed transactions behind it that are not in the data file yet.</summary>
    public (long Transactions, long Versions, long Bytes, long Journal)[] HeldBack(long[] snapshots)
    {
        var held = new (long Transactions, long Versions, long Bytes, long Journal)[snapshots.Length];
        if (snapshots.Length == 0)
            return held;
        lock (_committed)
        {
            var (transactions, versions, bytes, journal) = (0L, 0L, 0L, 0L);
            var next = snapshots.Length - 1;
            for (var i = _committed.Count - 1; i >= 0 && next >= 0; i--)
            {
                for (; next >= 0 && snapshots[next] >= _committed[i].State.TransactionId; next--)
                    held[next] = (transactions, versions, bytes, journal);
                transactions++;
                journal += _committed[i].JournalBytes;
                foreach (var entry in _committed[i].Versions)
                {
                    if (entry == 0)
                        continue;
                    versions++;
                    var version = (PageVersion*)entry;
                    bytes += version->Kind == PageVersionKind.Freed ? PageVersion.HeaderBytes : (long)version->PageCount << PageLayout.PageShift;
                }
            }
            for (; next >= 0; next--)
                held[next] = (transactions, versions, bytes, journal);
        }
        return held;
    }
}
