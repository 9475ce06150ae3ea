using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <summary>
/// Group commit by threads that take turns. One runs the waiting operations in one transaction, seals it, writes it to
/// the journal and completes its operations, without any handover. While it writes, another one prepares the next
/// transaction, over the changes of this one, and takes in all that arrives until its turn to write comes. A thread
/// that blocks until its operation is durable takes a turn itself if no other thread prepares (as the leader of a write
/// group in RocksDB). Two dedicated threads take the turns for awaited operations.
/// </summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A semaphore is never disposed: BannedSymbols.txt says why.")]
internal sealed partial class Committer
{
    private const int MaxMergedOperations = 4096;
    private readonly StoreContext _store;
    private readonly Flusher _flusher;
    private readonly object _gate = new();
    private readonly Lock _finishing = new();
    private readonly Queue<PendingWrite> _queue = new();
    private readonly Thread[] _threads;
    private readonly SemaphoreSlim _places;
    private readonly Action<long> _committed;

    /// <summary>A thread prepares a transaction.</summary>
    private bool _preparing;

    /// <summary>
    /// Sealed transactions that are being written, or on their way to the shared log, or were and their state is not
    /// yet published.
    /// </summary>
    private int _inFlight;
    private bool _stopping;
    private int _started;

    /// <summary>
    /// Callers that blocked for the transaction that landed last, and blocking operations that were handed over since.
    /// </summary>
    private int _released;
    private int _returned;

    /// <summary>Callers that take a turn.</summary>
    private int _leaders;

    private long _transactions;
    private long _operations;
    private long _journalBytes;

    public Committer(StoreContext store, Flusher flusher, Action<long> committed)
    {
        (_store, _flusher, _committed) = (store, flusher, committed);
        Compressor = store.Journal is null ? null : JournalCompressor.Create(store.Options, store.Name);
        _role = store.Options.IsReplica ? StorageRole.Follower : StorageRole.Alone;
        _takesWrites = _role == StorageRole.Alone;
        _entries = new JournalEntry[
            store.Options.IsReplica ? Math.Max(store.Options.AppendWindow, store.Options.WideAppendWindow) + 2 : 2
        ];
        for (var i = 0; i < _entries.Length; i++)
            _entries[i] = new JournalEntry(store.Cipher, Compressor);
        _sealed = store.Published;
        _slot = store.Readers.ClaimWriter();
        _places = new SemaphoreSlim(store.Options.MaxQueuedOperations);
        _threads = [NewThread(1), NewThread(2)];
    }

    /// <summary>Compresses entries; null if compression is off.</summary>
    public JournalCompressor? Compressor { get; }

    public long Transactions => Volatile.Read(ref _transactions);

    public long Operations => Volatile.Read(ref _operations);

    public long JournalBytes => Volatile.Read(ref _journalBytes);

    public void Start()
    {
        foreach (var thread in _threads)
        {
            thread.Start();
            _started++;
        }
    }

    /// <summary>Hands over an operation; its task completes when it is durable or was refused.</summary>
    public Task<T> EnqueueAsync<T>(Func<WriteTransaction, T> operation, CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
            return Task.FromCanceled<T>(ct);
        if (_store.Failure is { } failure)
            return Task.FromException<T>(failure);
        if (!_takesWrites)
            return Task.FromException<T>(NotLeader());
        var pending = new PendingWrite<T>(operation, ct);
        if (!_places.Wait(0, CancellationToken.None))
            return EnqueueLaterAsync(pending, ct);
        Enqueue(pending);
        return pending.Task;
    }

    /// <summary>Hands over an operation and blocks until it is durable or was refused.</summary>
    public T Write<T>(Func<WriteTransaction, T> operation, CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        if (_store.Failure is { } failure)
            throw failure;
        if (!_takesWrites)
            throw NotLeader();
        var pending = new BlockingWrite<T>(operation, ct);
        _places.Wait(ct);
        if (Enqueue(pending, mayLead: true))
            Lead();
        return pending.Wait();
    }

    /// <summary>
    /// Runs operations that wait on the calling thread, for stores without threads.
    /// </summary>
    /// <returns>False if none waits, or as many transactions as allowed are on their way.</returns>
    public bool TryTakeTurn()
    {
        lock (_gate)
        {
            if (_preparing || _turnsWanted > 0 || _inFlight >= Window || (_queue.Count == 0 && _alone.Count == 0))
                return false;
            _preparing = true;
            _leaders++;
        }
        Lead();
        return true;
    }

    /// <summary>Ends both threads after all that was handed over is done.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _stopping = true;
            Monitor.PulseAll(_gate);
        }
        foreach (var thread in _threads.AsSpan(0, _started))
            thread.Join();
        lock (_gate)
        {
            while (_leaders > 0 || _preparing || _turnsWanted > 0)
                Monitor.Wait(_gate);
        }
        foreach (var entry in _entries)
            entry.Dispose();
        _logEntry?.Dispose();
    }

    private async Task<T> EnqueueLaterAsync<T>(PendingWrite<T> pending, CancellationToken ct)
    {
        await _places.WaitAsync(ct).ConfigureAwait(false);
        Enqueue(pending);
        return await pending.Task.ConfigureAwait(false);
    }

    /// <summary>True if the caller may take a turn and no thread prepares: it then must.</summary>
    private bool Enqueue(PendingWrite pending, bool mayLead = false)
    {
        bool leads = false,
            stopping = false,
            wake = false;
        StepHook.At(StorageStep.PlaceTaken);
        lock (_gate)
        {
            if (_stopping)
            {
                stopping = true;
            }
            else
            {
                _queue.Enqueue(pending);
                if (mayLead)
                    _returned++;
                if (_preparing)
                {
                    wake = _waitingForMore && _queue.Count * _operationTicks >= WakeTicks;
                }
                else if (mayLead && _turnsWanted == 0)
                {
                    leads = _preparing = true;
                    _leaders++;
                }
                else
                {
                    Monitor.Pulse(_gate);
                }
            }
        }
        if (wake)
            _turn.Set();
        if (stopping)
            Refuse(pending, new ObjectDisposedException("StorageEnvironment", $"{_store.Name} is closed."));
        return leads;
    }

    /// <summary>Takes one turn, with all that waits.</summary>
    private void Lead()
    {
        try
        {
            if (TryPrepare(Take(), out var transaction))
                Write(transaction);
        }
        finally
        {
            lock (_gate)
            {
                if (--_leaders == 0 && _stopping)
                    Monitor.PulseAll(_gate);
            }
        }
    }

    private void Complete(PendingWrite pending) => End(pending, null);

    private void Refuse(PendingWrite pending, Exception error) => End(pending, error);

    private bool Faulty(StorageFaults fault) => (_store.Options.Faults & fault) != 0;

    private Thread NewThread(int n) => new(Work) { IsBackground = true, Name = $"pipeline commit {n}" };

    private void Work()
    {
        while (TryTakeFirst(out var first))
        {
            if (TryPrepare(first, out var transaction))
                Write(transaction);
        }
    }

    /// <summary>
    /// Write, sync, publish, complete; in this order. Transactions are written, and finished, one after the other.
    /// </summary>
    private void Write(SealedTransaction transaction)
    {
        var started = _store.Options.TimeProvider.GetTimestamp();
        var durable = TryMakeDurable(transaction);
        var duration = _store.Options.TimeProvider.GetElapsedTime(started);
        lock (_finishing)
        {
            var (published, queued) = (false, false);
            try
            {
                if (durable)
                {
                    StepHook.At(StorageStep.JournalSynced);
                    Volatile.Write(ref _store.Published, transaction.State);
                    published = true;
                    _transactions++;
                    _operations += transaction.Operations.Count;
                    _journalBytes += transaction.JournalBytes;
                    StepHook.At(StorageStep.Published);
                    _flusher.Add(transaction);
                    queued = true;
                    StepHook.At(StorageStep.Queued);
                }
            }
#pragma warning disable CA1031 // The flush may have missed the transaction, so it must not flush again; synced entries are durable.
            catch (Exception e)
#pragma warning restore CA1031
            {
                _store.Fail(_store.Name, "publication of a commit", e);
            }
            if (!queued)
                _flusher.Abandon(transaction.Versions);
            // Without a sync to share there is nothing to wait for.
            Landed(transaction, published && transaction.Entry is not null ? transaction.Blocking : 0);
            foreach (var operation in transaction.Operations)
                End(operation, published ? null : _store.Failure!);
            if (transaction.Answers is { } answers)
                EndAnswers(answers, published ? NotLeading() : _store.Failure);
            if (!queued)
                return;
            try
            {
                StepHook.At(StorageStep.Acknowledged);
                _committed(transaction.State.TransactionId);
                _flusher.Tidy(transaction);
                StorageMetrics.Committed(_store.Name, transaction.Operations.Count, transaction.JournalBytes, duration);
            }
#pragma warning disable CA1031 // Nobody waits for this any more.
            catch (Exception e)
#pragma warning restore CA1031
            {
                _store.Fail(_store.Name, "tidying after a commit", e);
            }
        }
    }

    private unsafe bool TryMakeDurable(SealedTransaction transaction)
    {
        if (transaction.Entry is not { } entry)
            return true;
        if (_store.Failure is not null)
            return false;
        var file = transaction.Place.File;
        var step = "journal write";
        var started = Stopwatch.GetTimestamp();
        try
        {
            StepHook.At(StorageStep.JournalWrite);
            const int most = 1 << 30;
            for (var done = 0L; done < transaction.JournalBytes; done += most)
            {
                file.WriteBlocks(
                    transaction.Place.Offset + done,
                    new ReadOnlySpan<byte>(entry.Bytes + done, (int)Math.Min(most, transaction.JournalBytes - done))
                );
            }

            step = "journal sync";
            if (Faulty(StorageFaults.PublishBeforeSync))
                Volatile.Write(ref _store.Published, transaction.State);
            StepHook.At(StorageStep.JournalWritten);
            if (_role != StorageRole.Alone)
                _store.Journal!.Wrote(file, transaction.State.TransactionId);
            else if ((_store.Options.Faults & StorageFaults.AcknowledgeBeforeSync) == 0)
                file.Sync();
            entry.Written(Stopwatch.GetElapsedTime(started));
            return true;
        }
#pragma warning disable CA1031 // Whatever it is, it is not known what the disk holds.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _store.Fail(file.Path, step, e);
            return false;
        }
    }

    private void Landed(SealedTransaction transaction, int released)
    {
        bool wake;
        lock (_gate)
        {
            _inFlight--;
            if (_sent.TryPeek(out var first) && first == transaction)
                _sent.Dequeue();
            (_released, _returned) = (released, 0);
            wake = _waitingForLanding;
        }
        if (wake)
            _turn.Set();
    }
}
