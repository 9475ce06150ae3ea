namespace Pipeline.Storage;

/// <content>
/// Flushes past open readers, so that a long reader holds back neither the checkpoint nor the journal. The pages that
/// such a reader needs stay. The mapping of an overwritten page is frozen and shows the file's former content. Versions
/// that the flush wrote stay in the table, so that newer readers find them there and do not read the frozen page.
/// </content>
internal sealed unsafe partial class Flusher
{
    /// <summary>
    /// Flushes past readers that have not all ended, the oldest first. Together with the transactions that wait they
    /// own all versions.
    /// </summary>
    private readonly List<Held> _held = [];

    /// <summary>The last of those flushes in which each page was.</summary>
    private readonly Dictionary<long, long> _heldPages = [];

    private readonly List<nint> _cut = [];

    /// <summary>
    /// The first page for which nothing is kept: readers older than a flush do not know such pages, and no frozen run
    /// includes them.
    /// </summary>
    private long _keptEnd;

    /// <summary>The memory that the last flush past readers has asked for.</summary>
    private long _neededBytes;

    /// <summary>The resources that one flush past readers keeps.</summary>
    /// <param name="Transaction">Its transaction F.</param>
    /// <param name="Versions">
    /// The versions after the flush before and up to F that are still in the table; zeros among them.
    /// </param>
    /// <param name="Pages">The pages that changed.</param>
    /// <param name="Frozen">The ranges that it froze.</param>
    private sealed record Held(
        long Transaction,
        nint[] Versions,
        List<long> Pages,
        List<(long Page, long Count)> Frozen
    )
    {
        /// <summary>Versions that are not zero.</summary>
        public int Live { get; set; }

        /// <summary>All readers older than F have ended.</summary>
        public bool IsReleased { get; set; }
    }

    /// <summary>Bytes of memory that versions and frozen pages take.</summary>
    private long MemoryBytes => _store.Scratch.Bytes + _store.Data.FrozenBytes;

    private bool IsJournalAtLimit()
    {
        var unflushed = Interlocked.Read(ref _store.UnflushedJournalBytes);
        return unflushed >= _store.Options.MaxUnflushedJournalBytes
            || (
                unflushed > 0
                && _store.Options.TimeProvider.GetElapsedTime(Volatile.Read(ref _oldestUnflushed))
                    >= _store.Options.MaxUnflushedJournalAge
            );
    }

    /// <summary>
    /// Whether a flush up to the oldest reader would leave as much journal, or as old, as is worth a flush.
    /// </summary>
    private bool IsHeldBackTooFar(long oldest)
    {
        if (_store.Journal is null)
            return false;
        lock (_committed)
        {
            var first = _committed.FindIndex(t => t.State.TransactionId > oldest);
            if (first < 0)
                return false;
            if (
                _store.Options.TimeProvider.GetElapsedTime(_committed[first].CommittedAt)
                >= _store.Options.FlushInterval
            )
            {
                return true;
            }

            var bytes = Interlocked.Read(ref _store.UnflushedJournalBytes);
            for (var i = 0; i < first && bytes >= _store.Options.FlushJournalBytes; i++)
                bytes -= _committed[i].JournalBytes;
            return bytes >= _store.Options.FlushJournalBytes;
        }
    }

    /// <summary>
    /// Flushes up to the last published transaction though readers are older. As in <see cref="TryFlush"/>, but before
    /// a page is overwritten that one of them may read, its mapping is frozen, and its versions stay in the table.
    /// </summary>
    /// <param name="upTo">The transaction.</param>
    /// <param name="pageCount">
    /// The most pages that an older reader has: those from there on are unknown to all of them.
    /// </param>
    private FlushOutcome TryPass(long upTo, long pageCount)
    {
        var transactions = TakeUpTo(upTo);
        if (transactions.Count == 0)
            return FlushOutcome.Nothing;
        var started = _store.Options.TimeProvider.GetTimestamp();
        var state = transactions[^1].State;
        var pages = DistinctPages(transactions);
        var versions = NewestVersions(pages, state.TransactionId);
        _keptEnd = _held.Count == 0 ? pageCount : Math.Max(_keptEnd, pageCount);
        var kept = versions.AsSpan(
            0,
            Array.FindIndex(versions, v => ((PageVersion*)v)->PageNumber >= _keptEnd) is var end and >= 0
                ? end
                : versions.Length
        );
        _neededBytes = MemoryBytes + TotalBytes(kept);
        if (_neededBytes > _store.Options.MaxScratchBytes)
            return FlushOutcome.NoMemory;
        var bytes = TotalBytes(versions);
        var frozen = new List<(long Page, long Count)>();
        if (!_store.Data.TryFreeze(kept, frozen))
            return FlushOutcome.Nothing;
        StepHook.At(StorageStep.PagesFrozen);
        try
        {
            Protect(versions);
        }
        catch (DiskFullException)
        {
            _store.Data.Thaw(frozen, []);
            throw;
        }
        var checkpoint = WriteCheckpoint(versions, state);
        NoteFreed(pages, state);
        Hold(transactions, pages, frozen);
        Finish(checkpoint, transactions, versions.Length, bytes, started);
        return FlushOutcome.Done;
    }

    private void Hold(List<Committed> transactions, List<long> pages, List<(long Page, long Count)> frozen)
    {
        var upTo = transactions[^1].State.TransactionId;
        var kept =
            Faulty(StorageFaults.CutAboveFrozenPages) ? 0
            : pages.BinarySearch(_keptEnd) is var at && at < 0 ? ~at
            : at;
        lock (_committed)
        {
            _store.Table.Cut(pages[kept..], upTo, _cut);
            Disown(_cut);
            var versions = transactions.SelectMany(t => t.Versions).Where(v => v != 0).ToArray();
            for (var i = 0; i < versions.Length; i++)
                ((PageVersion*)versions[i])->Index = i;
            pages.RemoveRange(kept, pages.Count - kept);
            foreach (var page in pages)
                _heldPages[page] = upTo;
            if (frozen.Count > 0)
                _keptEnd = Math.Max(_keptEnd, frozen[^1].Page + frozen[^1].Count);
            _held.Add(new Held(upTo, versions, pages, frozen) { Live = versions.Length });
            Forget(transactions.Count);
        }
        StepHook.At(StorageStep.TableCut);
        Retire(_cut);
    }

    /// <summary>
    /// Frees pages and versions kept for readers older than <paramref name="oldest"/>. A frozen page is released first:
    /// all readers find a version of it in the table, since each is at least as new as the flush that froze it. Then
    /// the versions that the data file holds are cut off. Exempt are pages that a later flush has overwritten under
    /// readers that are still open: for these the newest version up to the oldest reader stays.
    /// </summary>
    private void ReleaseHeld(long oldest)
    {
        // No version lies between the last flush of a page and the checkpoint, so the file holds the newest one up to
        // either.
        var upTo = Math.Min(oldest, _store.Checkpoint.State.TransactionId);
        if (Faulty(StorageFaults.ThawEarly))
            oldest = _store.Checkpoint.State.TransactionId;
        for (var i = 0; i < _held.Count && _held[i].Transaction <= oldest; i++)
        {
            var held = _held[i];
            if (held.IsReleased)
                continue;
            Thaw(held);
            var later = held.Pages.FindAll(p => _heldPages.TryGetValue(p, out var last) && last > held.Transaction);
            var done =
                later.Count == 0
                    ? held.Pages
                    : held.Pages.FindAll(p => _heldPages.TryGetValue(p, out var last) && last == held.Transaction);
            foreach (var page in done)
                _heldPages.Remove(page);
            lock (_committed)
            {
                _store.Table.Cut(done, upTo, _cut);
                _store.Table.CutBelow(later, oldest, _cut);
                Disown(_cut);
            }
            Retire(_cut);
        }
        lock (_committed)
            _held.RemoveAll(static h => h.IsReleased && h.Live == 0);
        Reclaim();
    }

    private void Thaw(Held held)
    {
        held.IsReleased = true;
        StepHook.At(StorageStep.Thaw);
        try
        {
            _store.Data.Thaw(held.Frozen, held.Pages);
        }
        catch (IOException e)
        {
            throw _store.Fail(_store.Data.Path, "thawing of mapped pages", e);
        }
    }

    private void DisownHeld(PageVersion* version)
    {
        // The first flush that is not before the version's transaction: those that are gone owned nothing any more.
        var (low, high) = (0, _held.Count - 1);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_held[middle].Transaction < version->TransactionId)
                low = middle + 1;
            else
                high = middle;
        }
        _held[low].Versions[version->Index] = 0;
        _held[low].Live--;
    }
}
