using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// Brings committed page versions to the data file in the background, so that the journal and the memory before the
/// checkpoint can be used again. Neither readers nor the writer wait for it, unless the writer has run ahead to a
/// limit.
/// </summary>
internal sealed unsafe partial class Flusher : IDisposable
{
    private readonly StoreContext _store;
    private readonly int _slot;
    private readonly Thread _thread;
    private readonly Lock _flushing = new();
    private readonly object _gate = new();
    private readonly List<Committed> _committed = [];
    private readonly Queue<(long Epoch, nint[] Versions)> _retired = new();
    private readonly List<nint> _abandoned = [];
    private byte[]? _writeBuffer;
    private ITimer? _timer;
    private bool _signaled;
    private bool _stopping;
    private bool _closed;
    private bool _started;
    private long _lastTickTransaction;
    private long _flushes;
    private long _pagesFlushed;

    /// <summary>When the first transaction of those that wait for the flush was committed.</summary>
    private long _oldestUnflushed;

    private readonly record struct Committed(StoreState State, nint[] Versions, long JournalBytes, long CommittedAt);

    public Flusher(StoreContext store)
    {
        _store = store;
        _slot = store.Readers.ClaimWriter();
        _thread = new Thread(Run) { IsBackground = true, Name = "pipeline flush" };
        for (var group = 0L; group * PageLayout.PagesPerGroup < store.Published.PageCount; group++)
            NoteFreed(group);
    }

    /// <summary>Flushes made.</summary>
    public long Flushes => Volatile.Read(ref _flushes);

    /// <summary>Pages written by them.</summary>
    public long PagesFlushed => Volatile.Read(ref _pagesFlushed);

    /// <summary>Called each flush interval.</summary>
    public Action? Ticked { get; init; }

    /// <summary>Gives the oldest open reader, or null; for errors.</summary>
    public Func<ReaderStatistics?>? OldestReader { get; init; }

    public void Start()
    {
        _thread.Start();
        _started = true;
        var interval = _store.Options.FlushInterval;
        _timer = _store.Options.TimeProvider.CreateTimer(static me => ((Flusher)me!).Tick(), this, interval, interval);
    }

    /// <summary>Takes over a durable transaction's versions. Called in the order of transactions.</summary>
    public void Add(SealedTransaction transaction)
    {
        var now = _store.Options.TimeProvider.GetTimestamp();
        lock (_committed)
        {
            StepHook.At(StorageStep.Queueing);
            _committed.Add(new Committed(transaction.State, transaction.Versions, transaction.JournalBytes, now));
            if (_committed.Count == 1)
                Volatile.Write(ref _oldestUnflushed, now);
        }
        var unflushed = Interlocked.Add(ref _store.UnflushedJournalBytes, transaction.JournalBytes);
        if (unflushed >= _store.Options.FlushJournalBytes || _store.Scratch.Bytes >= _store.Options.FlushScratchBytes)
            Signal();
    }

    /// <summary>Frees the versions that the last transaction replaced and that no reader needs.</summary>
    public void Tidy(SealedTransaction transaction)
    {
        if (!_flushing.TryEnter())
            return;
        StepHook.At(StorageStep.FlushLocked);
        try
        {
            Prune(transaction);
        }
        finally
        {
            _flushing.Exit();
            StepHook.At(StorageStep.FlushUnlocked);
        }
    }

    /// <summary>
    /// Waits while the writer has run ahead of the flush to a limit of journal or memory.
    /// </summary>
    /// <exception cref="ScratchFullException">
    /// Memory is at its limit and an old reader keeps the flush from freeing it.
    /// </exception>
    public void WaitForRoom()
    {
        var options = _store.Options;
        while (_store.Failure is null)
        {
            var journal = IsJournalAtLimit();
            if (!journal && MemoryBytes < options.MaxScratchBytes)
                return;
            var outcome = FlushOnce(passReaders: journal);
            if (outcome == FlushOutcome.Done)
                continue;
            if (outcome == FlushOutcome.Nothing && MemoryBytes < options.MaxScratchBytes)
                return;
            var oldest = OldestReader?.Invoke();
            throw new ScratchFullException(
                Math.Max(MemoryBytes, outcome == FlushOutcome.NoMemory ? _neededBytes : 0),
                options.MaxScratchBytes,
                oldest?.Owner,
                oldest?.Transaction,
                oldest?.Age
            );
        }
    }

    /// <summary>
    /// One checkpoint. Its transaction F is the last one that no open reader is older than. Readers at F or later find
    /// their pages in the data file or in newer versions, and no reader needs the data file's former content. If
    /// readers hold it back too far, F is the last transaction, and the pages that they need are kept
    /// (<see cref="TryPass"/>).
    /// </summary>
    /// <param name="release">Give free space back to the file system even if that was done not long ago.</param>
    /// <param name="passReaders">Go past readers however little they hold back.</param>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    /// <exception cref="DiskFullException">
    /// An encrypted store has no room for copies of the pages; nothing was changed.
    /// </exception>
    public FlushOutcome FlushOnce(bool release = false, bool passReaders = false)
    {
        StepHook.At(StorageStep.FlushLock);
        try
        {
            lock (_flushing)
            {
                StepHook.At(StorageStep.FlushLocked);
                return FlushLocked(release, passReaders);
            }
        }
        catch (Exception e) when (e is not StorageException)
        {
            // It is not known between which two steps it was.
            throw _store.Fail(_store.Name, "flush", e);
        }
        finally
        {
            StepHook.At(StorageStep.FlushUnlocked);
        }
    }

    private FlushOutcome FlushLocked(bool release, bool passReaders)
    {
        if (_store.Failure is { } failure)
            throw failure;
        if (_closed)
            return FlushOutcome.Nothing;
        _store.CheckLocks();
        var published = Volatile.Read(ref _store.Published).TransactionId;
        StepHook.At(StorageStep.FlushBegun);
        SyncJournal();
        var oldest = _store.Readers.OldestSnapshot(published, out var pageCount);
        StepHook.At(StorageStep.OldestKnown);
        ReleaseHeld(oldest);
        var outcome = FlushOutcome.Nothing;
        var passing = oldest < published && (passReaders || IsHeldBackTooFar(oldest));
        if (passing && !Faulty(StorageFaults.FlushPastReaders))
            outcome = TryPass(published, pageCount);
        if (
            outcome != FlushOutcome.Done
            && TryFlush(passing && Faulty(StorageFaults.FlushPastReaders) ? published : oldest)
        )
        {
            outcome = FlushOutcome.Done;
        }

        if (oldest >= _store.Checkpoint.State.TransactionId || Faulty(StorageFaults.PunchPastReaders))
        {
            StepHook.At(StorageStep.ReleaseSpace);
            ReleaseSpace(release);
        }
        return outcome;
    }

    /// <summary>
    /// Writes the last checkpoint into the other slot too, so that the journal before it is not needed even if one slot
    /// is damaged.
    /// </summary>
    public void RepeatMeta()
    {
        lock (_flushing)
            _store.Checkpoint = WriteCheckpoint([], _store.Checkpoint.State);
    }

    /// <summary>Ends the background thread; the caller decides about a last flush.</summary>
    public void Stop()
    {
        _timer?.Dispose();
        lock (_gate)
        {
            _stopping = true;
            Monitor.PulseAll(_gate);
        }
        if (_started)
            _thread.Join();
    }

    /// <summary>
    /// Flushes up to a transaction that no open reader is older than; false where the checkpoint is there already.
    /// </summary>
    private bool TryFlush(long upTo)
    {
        var transactions = TakeUpTo(upTo);
        if (transactions.Count == 0)
            return false;
        var started = _store.Options.TimeProvider.GetTimestamp();
        StepHook.At(StorageStep.FlushTaken);
        var state = transactions[^1].State;
        var pages = DistinctPages(transactions);
        var versions = NewestVersions(pages, state.TransactionId);
        StepHook.At(StorageStep.VersionsKnown);

        // 1. The newest version up to F of each changed page goes to its place in the data file. 2. Sync: the pages are
        // durable.
        // 3. The meta slot that is not the current one names F and the place where the journal continues. 4. Sync: the
        // checkpoint holds.
        // 5. The versions leave the table; their memory is free when the readers of now have ended. 6. Journal files
        // before F are spare.
        var bytes = TotalBytes(versions);
        Protect(versions);
        var checkpoint = WriteCheckpoint(versions, state);
        _store.Table.Cut(pages, state.TransactionId);
        StepHook.At(StorageStep.TableCut);
        Retire(transactions);
        NoteFreed(pages, state);
        Finish(checkpoint, transactions, versions.Length, bytes, started);
        return true;
    }

    private void Finish(MetaPage checkpoint, List<Committed> transactions, int pages, long bytes, long started)
    {
        _store.Checkpoint = checkpoint;
        StepHook.At(StorageStep.CheckpointSet);
        _store.Journal?.Recycle(checkpoint.State.Journal);
        StepHook.At(StorageStep.Recycled);
        TrimCopies(all: false);
        Interlocked.Add(ref _store.UnflushedJournalBytes, -transactions.Sum(t => t.JournalBytes));

        Reclaim();
        _flushes++;
        _pagesFlushed += pages;
        var duration = _store.Options.TimeProvider.GetElapsedTime(started);
        StorageLog.Flushed(
            _store.Logger,
            _store.Name,
            checkpoint.State.TransactionId,
            pages,
            (long)duration.TotalMilliseconds
        );
        _store.Io.Done(IoKind.Flush, bytes, duration);
        StorageMetrics.Flushed(_store.Name, bytes, duration);
    }

    private void Signal()
    {
        if (Volatile.Read(ref _signaled))
            return;
        lock (_gate)
        {
            _signaled = true;
            Monitor.Pulse(_gate);
        }
    }

    private void Tick()
    {
        try
        {
            Ticked?.Invoke();
            var published = Volatile.Read(ref _store.Published).TransactionId;
            if (published == Interlocked.Exchange(ref _lastTickTransaction, published))
            {
                _store.Journal?.Shrink();
                _store.Scratch.Trim();
            }
            Signal();
        }
#pragma warning disable CA1031 // On a thread of the pool, where no caller would see it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _store.Fail(_store.Name, "regular check of readers and memory", e);
        }
    }

    private void Run()
    {
        while (true)
        {
            lock (_gate)
            {
                while (!_signaled && !_stopping)
                    Monitor.Wait(_gate);
                if (_stopping)
                    return;
                _signaled = false;
            }
            try
            {
                if (_store.Failure is null)
                    FlushOnce();
            }
            catch (DiskFullException e)
            {
                // Nothing was changed; the next flush tries again, and writers are refused once they have run ahead to
                // the limit.
                StorageLog.FlushWaits(_store.Logger, _store.Name, e);
            }
            catch (StorageFailedException)
            {
                // Noted and logged by Fail; writers get it from there.
                return;
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Faulty(StorageFaults fault) => (_store.Options.Faults & fault) != 0;
}
