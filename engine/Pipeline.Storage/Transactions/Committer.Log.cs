namespace Pipeline.Storage;

/// <content>
/// Commits through a shared log. A sealed transaction is sent and waits, among at most a window of others, until the
/// log has decided. Then it lands: it is written to the local journal, published, and its callers are answered. Nothing
/// of it is on the disk or visible before. Where the log refuses it, all that is not accepted is undone in memory. An
/// answer that depends on a transaction on its way, an error too, waits for that transaction.
/// </content>
internal sealed unsafe partial class Committer
{
    /// <summary>Entries from here on count as large.</summary>
    private const long LargeEntryBytes = 64 << 10;

    /// <summary>Lets one outcome after the other take effect.</summary>
    private readonly Lock _landing = new();

    /// <summary>The transactions on their way, in order. Guarded by the gate.</summary>
    private readonly Queue<SealedTransaction> _sent = new();

    // These belong to whoever has the turn of preparing.
    private readonly List<(PendingWrite Operation, Exception? Error)> _answers = [];
    private ICommitLog? _log;
    private NativeBuffer? _logEntry;

    private volatile StorageRole _role;

    /// <summary>Whether new operations are taken: not by a follower, nor by a leader that hands over.</summary>
    private volatile bool _takesWrites;

    /// <summary>
    /// Callers that want the turn to apply an entry or to change the role; they come before those that prepare. Guarded
    /// by the gate.
    /// </summary>
    private int _turnsWanted;

    /// <summary>Somebody wants the turn to end this node's time as leader. Guarded by the gate.</summary>
    private bool _deposing;

    /// <summary>The thread within <see cref="ICommitLog.Send"/>, or 0.</summary>
    private int _sendingThread;

    /// <summary>What the store is in its cluster.</summary>
    public StorageRole Role => _role;

    /// <summary>The name of the node that leads, for errors; null if it is unknown.</summary>
    public string? LeaderName { get; set; }

    /// <summary>Why the node is quarantined; null if it is not.</summary>
    public string? Quarantine { get; set; }

    /// <summary>Whether this node is certain to lead at this moment.</summary>
    public bool HoldsLease => _log is { Leads: true };

    /// <summary>How many transactions may be in flight before those that prepare wait for more operations.</summary>
    private int Window => _log is null ? 1 : _store.Options.AppendWindow;

    /// <summary>Sends the changes of the following operations to a log.</summary>
    public void Lead(ICommitLog log)
    {
        TakeTurn();
        try
        {
            CheckFollows();
            _log = log;
            _role = StorageRole.Leader;
            _takesWrites = true;
        }
        finally
        {
            EndPreparing();
        }
    }

    /// <summary>Has a leader refuse new operations, or take them again.</summary>
    public void TakeWrites(bool takes) => _takesWrites = takes && _role == StorageRole.Leader;

    /// <summary>Undoes what the log has not accepted, and takes no operations any more.</summary>
    public void Follow()
    {
        lock (_landing)
            Depose(CommitOutcome.Unknown);
    }

    /// <summary>Takes the log's decision on a transaction.</summary>
    public void Land(long transaction, CommitOutcome outcome)
    {
        if (Volatile.Read(ref _sendingThread) == Environment.CurrentManagedThreadId)
            throw new InvalidOperationException("A log must not call the store within ICommitLog.Send.");
        lock (_landing)
        {
            long first,
                last;
            lock (_gate)
            {
                (first, last) =
                    _sent.Count == 0
                        ? (0, 0)
                        : (_sent.Peek().State.TransactionId, _sent.Peek().State.TransactionId + _sent.Count - 1);
            }

            if (
                first == 0
                || transaction < first
                || transaction > last
                || (outcome != CommitOutcome.Accepted && transaction != first)
            )
            {
                throw new InvalidOperationException(
                    first == 0
                        ? $"Transaction {transaction} is not on its way to the log, nor is any other."
                        : $"The transactions {first} to {last} are on their way to the log; {transaction} cannot be {outcome} now."
                );
            }
            if (outcome != CommitOutcome.Accepted)
            {
                Depose(outcome);
                return;
            }
            for (var next = first; next <= transaction; next++)
            {
                SealedTransaction landed;
                lock (_gate)
                    landed = _sent.Peek();
                Write(landed);
            }
        }
    }

    /// <summary>Applies another node's entry as the next transaction.</summary>
    public long Apply(ReadOnlySpan<byte> entry)
    {
        TakeTurn();
        try
        {
            CheckFollows();
            SealedTransaction transaction;
            fixed (byte* start = entry)
                transaction = Redo(start, entry.Length);
            lock (_gate)
                _inFlight++;
            Write(transaction);
            return _store.Failure is { } failure ? throw failure : transaction.State.TransactionId;
        }
        finally
        {
            EndPreparing();
        }
    }

    private SealedTransaction Redo(byte* entry, long length)
    {
        var state = LogEntry.Read(entry, length, out var count);
        if (state.TransactionId != _sealed.TransactionId + 1)
            throw new EntryOutOfOrderException(_store.Name, _sealed.TransactionId + 1, state.TransactionId);
        _flusher.WaitForRoom();
        if (_store.Failure is { } failure)
            throw failure;
        _store.Readers.Enter(_slot, _sealed.TransactionId);
        _touched.Clear();
        var transaction = new WriteTransaction(
            new WriterPages(
                _store.Table,
                _store.Data,
                _store.Scratch,
                long.MaxValue,
                _sealed,
                _hints,
                _touched,
                _store.Options.Faults
            )
        );
        var place = default(JournalPlace);
        try
        {
            var records = entry + LogEntry.HeaderBytes;
            var end = entry + length;
            var versions = transaction.Writer.Redo(_store.Name, state, records, end, count);
            if (state.Mark == 0)
                state = state with { Mark = _sealed.Mark };
            var next = (_nextEntry + 1) % _entries.Length;
            var own = _store.Journal is null ? null : _entries[next];
            if (_store.Journal is { } journal)
            {
                own!.Begin();
                own.Add(records, end - records, count);
                own.Complete();
                place = journal.Reserve(own.AlignedLength);
                var checksum = own.Finish(
                    _store.Checkpoint.StoreId,
                    place.Number,
                    _sealed.Journal.Chain,
                    state,
                    Unsynced(state.TransactionId)
                );
                state = state with
                {
                    Journal = new JournalPosition(place.Number, place.Offset + own.AlignedLength, checksum),
                };
            }
            var made = new SealedTransaction(state, versions, [], place, own);
            transaction.Dispose();
            transaction.Writer.Release();
            _store.Readers.Leave(_slot);
            (_sealed, _nextEntry) = (state, next);
            return made;
        }
        catch (Exception e)
        {
            if (place.File is not null)
                _store.Journal!.Unreserve(place);
            Rollback(transaction);
            _store.NoteRefusal(e);
            if (e is IOException or UnauthorizedAccessException)
                throw _store.Fail(_store.Journal!.Directory, "journal file creation", e);
            throw;
        }
    }

    /// <summary>
    /// Waits for a place in the window and sends the transaction, whose entry <see cref="MakeLogEntry"/> has made.
    /// </summary>
    private void Send(SealedTransaction transaction, ICommitLog log)
    {
        var most = _logEntry!.Length > LargeEntryBytes ? _store.Options.WideAppendWindow : _store.Options.AppendWindow;
        while (true)
        {
            lock (_gate)
            {
                _waitingForLanding = _inFlight >= most && !_deposing;
                if (!_waitingForLanding)
                {
                    _sent.Enqueue(transaction);
                    _inFlight++;
                    if (_deposing)
                        return; // Whoever deposes this node undoes it; the log does not get it.
                    break;
                }
            }
            _turn.Wait();
        }
        if (Faulty(StorageFaults.PublishBeforeAcceptance))
            Volatile.Write(ref _store.Published, transaction.State);
        Volatile.Write(ref _sendingThread, Environment.CurrentManagedThreadId);
        try
        {
            log.Send(transaction.State.TransactionId, new ReadOnlySpan<byte>(_logEntry.Start, (int)_logEntry.Length));
        }
        finally
        {
            Volatile.Write(ref _sendingThread, 0);
        }
    }

    private void MakeLogEntry(JournalEntry entry, StoreState state, ICommitLog log)
    {
        entry.WriteLogEntry(_logEntry ??= new NativeBuffer(wipe: _store.Cipher is not null), state);
        if (_logEntry.Length > log.MaxEntryBytes)
            throw new TransactionTooLargeException(_logEntry.Length, log.MaxEntryBytes);
    }

    /// <summary>Transactions before this one whose entries may not be durable in the local journal.</summary>
    private uint Unsynced(long transaction) =>
        _role == StorageRole.Alone ? 0 : (uint)(transaction - 1 - _store.Journal!.SyncedThrough);

    /// <summary>Runs each operation in a separate transaction, after this one.</summary>
    private void RunAlone(List<PendingWrite> operations)
    {
        foreach (var operation in operations)
        {
            operation.Alone = true;
            _taken.Remove(operation);
            lock (_gate)
                _alone.Enqueue(operation);
        }
    }

    /// <summary>
    /// Gives answers that no new transaction took over to the last one on its way, or releases them if this node leads
    /// and all is accepted.
    /// </summary>
    private void ReleaseAnswers()
    {
        if (_answers.Count == 0)
            return;
        lock (_gate)
        {
            if (_sent.Count > 0)
            {
                var last = _sent.Last();
                (last.Answers ??= []).AddRange(_answers);
                _answers.Clear();
                return;
            }
        }
        EndAnswers(_answers, _store.Failure is { } failure ? failure : NotLeading());
        _answers.Clear();
    }

    /// <summary>
    /// Why an answer from accepted state must not leave; null if it may. The log may hold another leader's transactions
    /// behind that state, acknowledged before the question was asked.
    /// </summary>
    private NotLeaderException? NotLeading() =>
        _role == StorageRole.Alone || _log is { Leads: true } || Faulty(StorageFaults.AnswerWithoutLease)
            ? null
            : NotLeader();

    private void EndAnswers(List<(PendingWrite Operation, Exception? Error)> answers, Exception? instead)
    {
        foreach (var (operation, error) in answers)
            End(operation, instead ?? error);
    }

    /// <summary>Refuses what only the leader does.</summary>
    /// <param name="name">The store's name for people.</param>
    public NotLeaderException NotLeader(string? name = null) =>
        Quarantine is { } reason
            ? new QuarantinedException(name ?? _store.Name, reason, LeaderName)
            : new NotLeaderException(name ?? _store.Name, LeaderName);

    private void CheckFollows()
    {
        if (_store.Failure is { } failure)
            throw failure;
        if (_role != StorageRole.Follower)
        {
            throw new InvalidOperationException(
                _role == StorageRole.Leader
                    ? $"{_store.Name} leads; it must follow first."
                    : $"{_store.Name} was not opened with StorageOptions.IsReplica."
            );
        }
    }
}
