namespace Pipeline.Storage;

/// <content>Chooses the pages of a checkpoint and writes them.</content>
internal sealed unsafe partial class Flusher
{
    /// <summary>
    /// Pages may be half written after a crash, so the entries of all that a flush may write must be durable. Only a
    /// replica's are not already.
    /// </summary>
    private void SyncJournal()
    {
        if (_store.Journal is not { } journal || Faulty(StorageFaults.FlushBeforeJournal))
            return;
        try
        {
            journal.SyncWritten();
        }
        catch (Exception e)
        {
            throw _store.Fail(journal.Directory, "journal sync", e);
        }
    }

    private void Protect(nint[] versions)
    {
        if (Faulty(StorageFaults.NoFlushCopies))
            return;
        try
        {
            _store.Data.Protect(versions, _store.Checkpoint.Sequence, _store.Checkpoint.State.TransactionId);
        }
        catch (IOException e)
        {
            throw _store.Fail(_store.Data.Path, "flush file write", e);
        }
    }

    private MetaPage WriteCheckpoint(nint[] versions, StoreState state)
    {
        var before = _store.Checkpoint;
        var meta = before with { Sequence = before.Sequence + 1, State = state };
        var step = "data write";
        try
        {
            if (versions.Length > 0)
                _store.Data.WritePages(versions, _writeBuffer ??= DataFile.NewWriteBuffer(), verified: true);
            step = "data sync";
            StepHook.At(StorageStep.PagesWritten);
            if (!Faulty(StorageFaults.MetaBeforeDataSync))
                _store.Data.Sync();
            StepHook.At(StorageStep.PagesSynced);
            if (Faulty(StorageFaults.RecycleBeforeMeta))
                _store.Journal?.Recycle(state.Journal);
            step = "meta write";
            _store.Data.WriteMeta(meta);
            step = "meta sync";
            StepHook.At(StorageStep.MetaWritten);
            _store.Data.Sync();
            StepHook.At(StorageStep.MetaSynced);
            return meta;
        }
        catch (Exception e)
        {
            // Whatever it is, it is not known what the disk holds.
            throw _store.Fail(_store.Data.Path, step, e);
        }
    }

    private static long TotalBytes(ReadOnlySpan<nint> versions)
    {
        var bytes = 0L;
        foreach (var version in versions)
            bytes += (long)((PageVersion*)version)->PageCount << PageLayout.PageShift;
        return bytes;
    }

    private List<Committed> TakeUpTo(long upTo)
    {
        var taken = new List<Committed>();
        lock (_committed)
        {
            // They stay queued until they are on disk: after a failure their memory still belongs to the queue.
            foreach (var transaction in _committed)
            {
                if (transaction.State.TransactionId > upTo)
                    break;
                taken.Add(transaction);
            }
        }
        return taken;
    }

    private static List<long> DistinctPages(List<Committed> transactions)
    {
        var pages = new List<long>();
        foreach (var transaction in transactions)
        {
            foreach (var version in transaction.Versions)
            {
                if (version != 0)
                    pages.Add(((PageVersion*)version)->PageNumber);
            }
        }
        pages.Sort();
        var kept = 0;
        for (var i = 0; i < pages.Count; i++)
        {
            if (i == 0 || pages[i] != pages[kept - 1])
                pages[kept++] = pages[i];
        }
        pages.RemoveRange(kept, pages.Count - kept);
        return pages;
    }

    /// <summary>
    /// The versions to write. Pages that are free as of F are left out: what lies there now may belong to another run.
    /// </summary>
    private nint[] NewestVersions(List<long> pages, long upTo)
    {
        var versions = new List<nint>(pages.Count);
        _store.Readers.Enter(_slot, upTo); // A chain that is walked may lose nodes to a rollback.
        try
        {
            foreach (var page in pages)
            {
                var version = _store.Table.Find(page, upTo);
                if (version != null && version->Kind != PageVersionKind.Freed)
                    versions.Add((nint)version);
            }
            return [.. versions];
        }
        finally
        {
            _store.Readers.Leave(_slot);
        }
    }
}
