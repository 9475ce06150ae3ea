namespace Pipeline.Storage;

internal sealed unsafe partial class Flusher
{
    private readonly List<nint> _pruned = [];

    /// <summary>
    /// Keeps versions of failed transactions until the store is closed, because readers may walk past them.
    /// </summary>
    public void Abandon(nint[] versions)
    {
        lock (_abandoned)
            _abandoned.AddRange(versions);
    }

    /// <summary>Frees all memory of versions; there must be no readers left.</summary>
    public void Dispose()
    {
        lock (_flushing)
            _closed = true;
        foreach (
            var versions in _committed
                .Select(c => c.Versions)
                .Concat(_held.Select(h => h.Versions))
                .Concat(_retired.Select(r => r.Versions))
                .Append([.. _abandoned])
        )
        {
            Free(versions);
        }

        _held.Clear();
        _committed.Clear();
        _retired.Clear();
        _abandoned.Clear();
    }

    /// <summary>
    /// Frees the versions that a just published transaction has replaced, where no open snapshot lies between the two:
    /// pages that change with every commit then take memory for a few versions, not for all since the last flush. Never
    /// during a flush, which relies on them.
    /// </summary>
    private void Prune(SealedTransaction transaction)
    {
        Span<long> open = stackalloc long[256];
        StepHook.At(StorageStep.Prune);
        var count = _store.Readers.CopySnapshots(open);
        if (count < 0)
            return;
        if (Faulty(StorageFaults.PrunePastReaders))
            count = 0;
        StepHook.At(StorageStep.SnapshotsCopied);
        _pruned.Clear();
        lock (_committed)
        {
            if (_committed.Count == 0)
                return; // A flush has taken it since.
            _store.Table.Bypass(transaction.Versions, open[..count], _pruned);
            Disown(_pruned);
        }
        StepHook.At(StorageStep.Unlinked);
        Retire(_pruned);
        Reclaim();
    }

    /// <summary>
    /// Takes versions that are in the table no more out of the lists of those to be freed at the end. The lists must be
    /// locked.
    /// </summary>
    private void Disown(List<nint> versions)
    {
        var first = _committed.Count == 0 ? long.MaxValue : _committed[0].State.TransactionId;
        foreach (var entry in versions)
        {
            var version = (PageVersion*)entry;
            if (version->TransactionId >= first)
                _committed[(int)(version->TransactionId - first)].Versions[version->Index] = 0;
            else
                DisownHeld(version);
        }
    }

    /// <summary>Takes the first transactions out of those that wait for the flush.</summary>
    private void Forget(int count)
    {
        lock (_committed)
        {
            _committed.RemoveRange(0, count);
            if (_committed.Count > 0)
                Volatile.Write(ref _oldestUnflushed, _committed[0].CommittedAt);
        }
    }

    /// <summary>Queues versions removed from the table until no reader can be using them.</summary>
    private void Retire(List<nint> versions)
    {
        if (versions.Count == 0)
            return;
        StepHook.At(StorageStep.Retire);
        nint[] retired = [.. versions];
        lock (_retired)
        {
            _retired.EnsureCapacity(_retired.Count + 1);
            _retired.Enqueue((_store.Readers.AdvanceEpoch(), retired));
        }
        versions.Clear();
    }

    private void Retire(List<Committed> transactions)
    {
        // Both lists change, or neither: a version in neither list would never be freed, a version in both would be
        // freed twice.
        StepHook.At(StorageStep.Retire);
        lock (_retired)
            _retired.EnsureCapacity(_retired.Count + transactions.Count + 1);
        Forget(transactions.Count);
        var epoch = _store.Readers.AdvanceEpoch();
        lock (_retired)
        {
            foreach (var transaction in transactions)
                _retired.Enqueue((epoch, transaction.Versions));
        }
    }

    /// <summary>
    /// Frees versions removed from the table before their transaction was published, once no reader can be walking past
    /// them.
    /// </summary>
    public void RetireUnpublished(List<nint> versions)
    {
        if (versions.Count == 0)
            return;
        Retire(versions);
        Reclaim();
    }

    private void Reclaim()
    {
        lock (_retired)
        {
            if (_retired.Count == 0)
                return;
            var oldest = Faulty(StorageFaults.FreeAtOnce) ? long.MaxValue : _store.Readers.OldestEpoch();
            while (_retired.TryPeek(out var retired) && retired.Epoch < oldest)
                Free(_retired.Dequeue().Versions);
        }
    }

    private void Free(nint[] versions)
    {
        _store.Scratch.Return(versions);
    }
}
