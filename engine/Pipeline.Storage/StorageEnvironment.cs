using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// An open store: trees of keys and values in pages. One writer merges the operations of many callers; any number of
/// snapshots read without a lock. A completed <see cref="WriteAsync{T}"/> survives a crash of the process and of the
/// machine. Thread-safe.
/// </summary>
public sealed partial class StorageEnvironment : IReadSlots, IDisposable
{
    private readonly StoreContext _store;
    private readonly Flusher _flusher;
    private readonly Committer _committer;
    private readonly KeyRotation? _rotation;
    private readonly Compactor _compactor;
    private readonly Lock _closing = new();
    private bool _disposed;
    private bool _released;

    private StorageEnvironment(StoreContext store)
    {
        _store = store;
        _flusher = new Flusher(store)
        {
            Ticked = ExpireReaders,
            OldestReader = () => Readers() is [var oldest, ..] ? oldest.Statistics : null,
        };
        _openPages = new ReaderPages?[store.Options.MaxReaders + StoreContext.WriterSlots];
        _committer = new Committer(store, _flusher, RaiseCommitted);
        _compactor = new Compactor(store, _flusher, _committer);
        if (store.Options.Threadless)
            return;
        _scrubber = new Scrubber(BeginRead, store, _flusher);
        if (store.Cipher is not null)
            _rotation = new KeyRotation(store, _flusher, _committer);
    }

    private void Start()
    {
        if (_store.Options.Threadless)
            return;
        _flusher.Start();
        _committer.Start();
        StorageGauges.Register(this);
        _scrubber!.Start();
        if (_rotation is { IsDue: true } && _store.Options is { Deterministic: false, IsReplica: false })
            _rotation.Resume();
    }

    /// <summary>
    /// Raised after each commit, in order, with its transaction number, on the thread that writes the journal: handlers
    /// must return at once and must not wait for writes. An exception is logged and dropped.
    /// </summary>
    public event Action<long>? Committed;

    /// <summary>The last transaction that is durable and visible to new readers; 0 for an empty store.</summary>
    public long LastCommittedTransaction => Volatile.Read(ref _store.Published).TransactionId;

    /// <summary>Why writes are refused, or null while all is well.</summary>
    public StorageFailedException? Failure => _store.Failure;

    /// <summary>
    /// Opens a store, creating it if there is none, and recovers transactions committed before a crash.
    /// </summary>
    /// <exception cref="StoreInUseException">It is open already.</exception>
    /// <exception cref="NewerFormatException">A newer version wrote it.</exception>
    /// <exception cref="ReplicaFolderException">
    /// It is that of a cluster's node, and <see cref="StorageOptions.IsReplica"/> is not set.
    /// </exception>
    /// <exception cref="JournalCorruptException">Committed transactions are missing from the journal.</exception>
    /// <exception cref="CorruptPageException">A page that is needed for opening is damaged.</exception>
    /// <exception cref="DiskFullException">There is no room for the journal.</exception>
    /// <exception cref="InvalidKeyException">The source of the encryption key gives none.</exception>
    /// <exception cref="WrongKeyException">The store is encrypted under another key.</exception>
    /// <exception cref="EncryptionMismatchException">
    /// The store is encrypted and no key is given, or the other way round.
    /// </exception>
    public static StorageEnvironment Open(StorageOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var store = new StoreOpener(options).Open();
        StorageEnvironment? environment = null;
        try
        {
            environment = new StorageEnvironment(store);
            StepHook.At(StorageStep.OpenStart);
            environment.Start();
            return environment;
        }
        catch (Exception e)
        {
            // Otherwise the files would stay locked without an owner. The recovered state is durable.
            if (environment is not null)
            {
                store.Fail(store.Name, "start of the store's threads", e);
                environment.Dispose();
            }
            store.Journal?.Dispose();
            store.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Opens a snapshot of all that is committed. Dispose it soon: see <see cref="ReadTransaction"/>.
    /// </summary>
    /// <param name="owner">The reader's name in <see cref="GetReaders"/>; the calling member's name by default.</param>
    /// <exception cref="InvalidOperationException">As many readers as allowed are open.</exception>
    public ReadTransaction BeginRead([CallerMemberName] string owner = "")
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        var slot = _store.Readers.Register(
            ref _store.Published,
            _store.Options.TimeProvider.GetTimestamp(),
            out var state
        );
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
            StepHook.At(StorageStep.ReaderEntered);
            var pages = new ReaderPages(_store.Table, _store.Data, state) { Owner = owner };
            Volatile.Write(ref _openPages[slot], pages);
            return new ReadTransaction(this, pages, slot);
        }
        catch
        {
            // A slot without a holder would hold back the flush for ever.
            EndRead(slot);
            throw;
        }
    }

    /// <summary>
    /// Runs an operation in a write transaction, merged with those of other callers, and completes when it is durable.
    /// </summary>
    /// <param name="operation">
    /// Runs on the committing thread and must not block. It may be run again, after another operation of the same
    /// transaction had to be rolled back, and must have no effects but those on the transaction. What it throws fails
    /// it alone and rolls it back.
    /// </param>
    /// <param name="ct">Takes the operation back as long as it has not begun.</param>
    /// <exception cref="StorageFailedException">A write or sync has failed; the store must be opened again.</exception>
    /// <exception cref="DiskFullException">The disk is full; nothing was changed.</exception>
    /// <exception cref="TransactionTooLargeException">
    /// The operation changes more than allowed; nothing was changed.
    /// </exception>
    /// <exception cref="ScratchFullException">Open readers hold too much memory; nothing was changed.</exception>
    public Task<T> WriteAsync<T>(Func<WriteTransaction, T> operation, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(operation);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _committer.EnqueueAsync(operation, ct);
    }

    /// <summary>
    /// As <see cref="WriteAsync{T}"/>, but blocks the calling thread until the operation is durable: cheaper than to
    /// block on the task. Must not be called within an operation.
    /// </summary>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="ct"/> took the operation back; nothing was changed.
    /// </exception>
    public T Write<T>(Func<WriteTransaction, T> operation, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(operation);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _committer.Write(operation, ct);
    }

    /// <inheritdoc cref="WriteAsync{T}"/>
    public Task WriteAsync(Action<WriteTransaction> operation, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(operation);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _committer.EnqueueAsync(
            transaction =>
            {
                operation(transaction);
                return true;
            },
            ct
        );
    }

    /// <summary>
    /// Writes all commits so far to the data file and syncs it, so that recovery has less to do. It also goes past
    /// older readers, and keeps in memory the pages that they need (as far as
    /// <see cref="StorageOptions.MaxScratchBytes"/> allows). Space that is free then is released to the file system,
    /// unless an older reader is open.
    /// </summary>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    public void Flush()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        _flusher.FlushOnce(release: true, passReaders: true);
    }

    /// <summary>Figures of this moment.</summary>
    public StorageStatistics GetStatistics()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        var state = Volatile.Read(ref _store.Published);
        var (readers, oldest, startedAt, _) = _store.Readers.Describe();
        return new StorageStatistics
        {
            LastCommittedTransaction = state.TransactionId,
            CheckpointTransaction = _store.Checkpoint.State.TransactionId,
            PageCount = state.PageCount,
            FreePages = state.FreePages,
            DataFileBytes = _store.Data.Length,
            DataFileAllocatedBytes = _store.Data.AllocatedBytes,
            PunchedBytes = _store.Data.PunchedBytes,
            CanPunchHoles = _store.Data.CanPunch,
            UnflushedJournalBytes = Interlocked.Read(ref _store.UnflushedJournalBytes),
            ScratchBytes = _store.Scratch.Bytes + _store.Data.FrozenBytes,
            PlainPageBytes = _store.Data.Plain?.Bytes ?? 0,
            DataKeyGeneration = _store.Cipher?.Generation,
            IsDataKeyChanging = _store.Cipher?.Keys.Count > 1,
            Transactions = _committer.Transactions,
            Operations = _committer.Operations,
            JournalBytesWritten = _committer.JournalBytes,
            JournalBytesCompressed = _committer.Compressor?.BytesBefore ?? 0,
            JournalBytesAfterCompression = _committer.Compressor?.BytesAfter ?? 0,
            JournalCompressionProblem = _store.Journal is null ? null : JournalCompressor.ProblemOf(_store.Options),
            Flushes = _flusher.Flushes,
            PagesFlushed = _flusher.PagesFlushed,
            OpenReaders = readers,
            OldestReaderTransaction = readers == 0 ? null : oldest,
            OldestReaderAge = readers == 0 ? null : _store.Options.TimeProvider.GetElapsedTime(startedAt),
            Readers = GetReaders(),
            Scrub = _scrubber?.Statistics,
            Refusals = _store.Refusals,
            LastRefusal = _store.LastRefusal,
            Failure = _store.Failure,
        };
    }

    /// <summary>
    /// Completes the writes that were handed over, brings all to the data file and closes. While read transactions are
    /// still open their memory and the store's lock stay; the last of them to end gives these back.
    /// </summary>
    public void Dispose()
    {
        lock (_closing)
        {
            if (_disposed)
                return;
            _committer.Follow();
            _scrubber?.Stop();
            _rotation?.Stop();
            _compactor.Stop();
            _committer.Stop();
            _flusher.Stop();
            Volatile.Write(ref _disposed, true);
            Interlocked.MemoryBarrier();
            FlushLast();
            _store.Journal?.Dispose();
        }
        ReleaseIfUnused();
    }

    /// <summary>Gives a slot that holds no snapshot the newest one.</summary>
    StoreState IReadSlots.RenewRead(int slot)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        var state = _store.Readers.Renew(slot, ref _store.Published, _store.Options.TimeProvider.GetTimestamp());
        if (!Volatile.Read(ref _disposed))
            return state;
        ((IReadSlots)this).ResetRead(slot);
        throw new ObjectDisposedException(nameof(StorageEnvironment));
    }

    /// <summary>Takes the snapshot away from a slot, which stays claimed.</summary>
    void IReadSlots.ResetRead(int slot)
    {
        _store.Readers.Leave(slot);
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _disposed))
            ReleaseIfUnused();
    }

    void IReadSlots.EndRead(int slot) => EndRead(slot);

    private void EndRead(int slot)
    {
        Volatile.Write(ref _openPages[slot], null);
        _store.Readers.Release(slot);
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _disposed))
            ReleaseIfUnused();
    }

    internal StoreContext Context => _store;

    /// <inheritdoc cref="Committer.TryTakeTurn()"/>
    internal bool TryTakeTurn() => _committer.TryTakeTurn();

    private void FlushLast()
    {
        var readers = _store.Readers.Describe().Count;
        if (readers > 0)
            StorageLog.ClosedWithReaders(_store.Logger, _store.Name, readers);
        if (_store.Failure is not null)
            return;
        try
        {
            _flusher.FlushOnce(release: true);
            var state = _store.Published;
            if (readers > 0 || _store.Checkpoint.State.TransactionId != state.TransactionId)
                return;
            _flusher.RepeatMeta();
            _store.Data.Truncate(state.PageCount);
            _store.Journal?.DeleteUnneeded();
            _store.Data.TrimCopies(all: true);
        }
        catch (DiskFullException e)
        {
            StorageLog.FlushWaits(_store.Logger, _store.Name, e);
        }
        catch (StorageFailedException)
        {
            // Logged by Fail. All that was acknowledged is in the journal, and the next opening brings it to the data
            // file.
        }
#pragma warning disable CA1031 // The lock must be released in any case; the next opening does the rest.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _store.Fail(_store.Name, "truncation at close", e);
        }
    }

    private void ReleaseIfUnused()
    {
        lock (_closing)
        {
            if (_released || !_disposed || _store.Readers.Describe().Count > 0)
                return;
            _released = true;
            StorageGauges.Unregister(this);
            _flusher.Dispose();
            _rotation?.Dispose();
            _scrubber?.Dispose();
            _compactor.Dispose();
            _store.Dispose();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RaiseCommitted(long transaction)
    {
        try
        {
            Committed?.Invoke(transaction);
        }
#pragma warning disable CA1031 // A handler's fault must not stop commits.
        catch (Exception e)
#pragma warning restore CA1031
        {
            StorageLog.HandlerFailed(_store.Logger, _store.Name, e);
        }
    }
}
