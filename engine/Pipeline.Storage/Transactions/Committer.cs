using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <summary>
/// Group commit. One thread takes the operations that wait, runs them in one transaction and seals it; another writes the sealed transaction
/// to the journal and completes its operations. While a transaction is being written the next one is in preparation, over its predecessor's
/// changes, and takes in all that arrives until its turn to be written comes.
/// </summary>
internal sealed partial class Committer : IDisposable
{
    private const int MaxMergedOperations = 4096;
    private readonly StoreContext _store;
    private readonly Flusher _flusher;
    private readonly object _gate = new();
    private readonly Queue<PendingWrite> _queue = new();
    private readonly Thread _preparing;
    private readonly Thread _writing;
    private readonly SemaphoreSlim _places;
    private readonly Action<long> _committed;
    private SealedTransaction? _inFlight;
    private bool _stopping;
    private bool _writerStopping;

    private long _transactions;
    private long _operations;
    private long _journalBytes;

    public Committer(StoreContext store, Flusher flusher, Action<long> committed)
    {
        (_store, _flusher, _committed) = (store, flusher, committed);
        _sealed = store.Published;
        _slot = store.Readers.ClaimWriter();
        _places = new SemaphoreSlim(store.Options.MaxQueuedOperations);
        _preparing = new Thread(Prepare) { IsBackground = true, Name = "pipeline commit" };
        _writing = new Thread(Write) { IsBackground = true, Name = "pipeline journal" };
    }

    public long Transactions => Volatile.Read(ref _transactions);

    public long Operations => Volatile.Read(ref _operations);

    public long JournalBytes => Volatile.Read(ref _journalBytes);

    public void Start()
    {
        _preparing.Start();
        _writing.Start();
    }

    /// <summary>Hands over an operation; its task completes when it is durable or was refused.</summary>
    public Task<T> EnqueueAsync<T>(Func<WriteTransaction, T> operation, CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
            return Task.FromCanceled<T>(ct);
        if (_store.Failure is { } failure)
            return Task.FromException<T>(failure);
        var pending = new PendingWrite<T>(operation, ct);
        if (!_places.Wait(0, CancellationToken.None))
            return EnqueueLaterAsync(pending, ct);
        Enqueue(pending);
        return pending.Task;
    }

    /// <summary>Ends both threads after all that was handed over is done.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _stopping = true;
            Monitor.PulseAll(_gate);
        }
        _preparing.Join();
        lock (_gate)
        {
            _writerStopping = true;
            Monitor.PulseAll(_gate);
        }
        _writing.Join();
    }

    public void Dispose() => _places.Dispose();

    private async Task<T> EnqueueLaterAsync<T>(PendingWrite<T> pending, CancellationToken ct)
    {
        await _places.WaitAsync(ct).ConfigureAwait(false);
        Enqueue(pending);
        return await pending.Task.ConfigureAwait(false);
    }

    private void Enqueue(PendingWrite pending)
    {
        lock (_gate)
        {
            if (!_stopping)
            {
                _queue.Enqueue(pending);
                if (_waiting)
                    Monitor.PulseAll(_gate);
                return;
            }
        }
        Refuse(pending, new ObjectDisposedException(nameof(StorageEnvironment), $"{_store.Name} is closed."));
    }

    private void Complete(PendingWrite pending)
    {
        _places.Release();
        pending.Complete();
    }

    private void Refuse(PendingWrite pending, Exception error)
    {
        _places.Release();
        pending.Fail(error);
    }

    /// <summary>The journal thread: write, sync, publish, complete; in this order.</summary>
    private void Write()
    {
        while (TryTakeSealed(out var transaction))
        {
            var started = _store.Options.TimeProvider.GetTimestamp();
            if (!TryMakeDurable(transaction))
            {
                _flusher.Abandon(transaction.Versions);
                Landed();
                foreach (var operation in transaction.Operations)
                    Refuse(operation, _store.Failure!);
                continue;
            }
            var duration = _store.Options.TimeProvider.GetElapsedTime(started);
            Volatile.Write(ref _store.Published, transaction.State);
            _transactions++;
            _operations += transaction.Operations.Count;
            _journalBytes += transaction.JournalBytes;
            Landed();
            _flusher.Add(transaction);
            foreach (var operation in transaction.Operations)
                Complete(operation);
            _committed(transaction.State.TransactionId);
            StorageMetrics.Committed(_store.Name, transaction.Operations.Count, transaction.JournalBytes, duration);
        }
    }

    private bool TryTakeSealed([NotNullWhen(true)] out SealedTransaction? transaction)
    {
        lock (_gate)
        {
            while (_inFlight is null && !_writerStopping)
                Monitor.Wait(_gate);
            transaction = _inFlight;
            return transaction is not null;
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
        try
        {
            const int most = 1 << 30;
            for (var done = 0L; done < transaction.JournalBytes; done += most)
                file.Write(transaction.Place.Offset + done, new ReadOnlySpan<byte>(entry.Bytes + done, (int)Math.Min(most, transaction.JournalBytes - done)));
            step = "journal sync";
            if ((_store.Options.Faults & StorageFaults.AcknowledgeBeforeSync) == 0)
                file.Sync();
            return true;
        }
        catch (Exception e) when (e is IOException or DiskFullException)
        {
            _store.Fail(file.Path, step, e);
            return false;
        }
    }

    private void Landed()
    {
        lock (_gate)
        {
            _inFlight = null;
            Monitor.PulseAll(_gate);
        }
    }
}
