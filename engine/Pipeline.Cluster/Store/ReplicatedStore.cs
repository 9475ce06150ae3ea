using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Connects a store to a node's loop. The store sends the entries of its transactions to the loop, which reports what
/// the log has accepted and applies the entries of other nodes. Only the thread that drives the loop may call members,
/// except those that are marked as thread-safe.
/// </summary>
/// <remarks>
/// The store leads only once the leases of other nodes have expired. So it may acknowledge a transaction as soon as the
/// log has accepted it.
/// </remarks>
internal sealed partial class ReplicatedStore : INodeHost, ICommitLog
{
    private readonly StorageEnvironment _store;
    private readonly PositionFile _file;
    private readonly ILogWriter _log;
    private readonly Func<TimeSpan> _clock;
    private readonly Lock _posting = new();

    /// <summary>Entries that the store has sent and the loop has not received yet.</summary>
    private readonly Queue<(long Transaction, byte[] Entry)> _posted = new();

    /// <summary>Positions of published transactions that are not durable yet, oldest first.</summary>
    private readonly Queue<ReadPosition> _volatile = new();

    private NodeOptions _options;
    private ReadPosition _position;
    private long _lastSent;
    private long _savedPlace;
    private long _keptPlace;
    private long _leasedUntil = long.MinValue;
    private volatile bool _takesWrites;
    private bool _ends;

    /// <summary>Begins at the store's last transaction.</summary>
    /// <param name="store">The store, opened with <see cref="StorageOptions.IsReplica"/>.</param>
    /// <param name="file">The file that keeps its position.</param>
    /// <param name="options">Names and times.</param>
    /// <param name="log">Takes the records to append.</param>
    /// <param name="clock">The process's clock, which also runs while the machine sleeps. Thread-safe.</param>
    public ReplicatedStore(
        StorageEnvironment store,
        PositionFile file,
        NodeOptions options,
        ILogWriter log,
        Func<TimeSpan> clock
    )
    {
        (_store, _file, _options, _log, _clock) = (store, file, options, log, clock);
        // If the store lost transactions before the position, read the log from its start. A place that is too early is
        // always safe.
        _position =
            file.Position.State.Transaction <= store.LastCommittedTransaction + 1 ? file.Position : ReadPosition.Start;
        _savedPlace = _keptPlace = _position.Place;
        Loop = Begin();
    }

    /// <summary>
    /// Called on any thread when the store has sent an entry. <see cref="Tick"/> passes it to the loop.
    /// </summary>
    public Action? Posted { get; init; }

    /// <summary>The node's loop, for reading its state.</summary>
    public ClusterNode Loop { get; private set; }

    /// <summary>
    /// Why the store accepts no entry. The node then neither reads nor writes the log, until <see cref="Resume"/> or
    /// until the store is reopened.
    /// </summary>
    public StorageException? Stall { get; private set; }

    /// <inheritdoc/>
    public int MaxEntryBytes => _options.MaxTransactionBytes;

    /// <inheritdoc/>
    public bool Leads => HoldsLease;

    /// <summary>
    /// Whether a snapshot that was taken <em>before</em> this call contains every acknowledged write. Thread-safe.
    /// </summary>
    public bool HoldsLease => _clock().Ticks < Volatile.Read(ref _leasedUntil);

    /// <summary>
    /// Runs an operation at the leader; see <see cref="StorageEnvironment.WriteAsync{T}"/>. Thread-safe.
    /// </summary>
    /// <exception cref="NotLeaderException">This node accepts no writes. Nothing was changed.</exception>
    /// <exception cref="NotAcceptedException">
    /// The log does not have the transaction, or it is unknown whether it does.
    /// </exception>
    public Task<T> WriteAsync<T>(Func<WriteTransaction, T> operation, CancellationToken ct = default) =>
        _takesWrites ? _store.WriteAsync(operation, ct) : Task.FromException<T>(_store.RefuseToLead());

    /// <summary>Advances the time and passes on what the store has sent.</summary>
    public void Tick() => Do(static (node, now) => node.Tick(now));

    /// <inheritdoc cref="ClusterNode.Read"/>
    public void Read(long first, IReadOnlyList<ReadOnlyMemory<byte>> records, long end) =>
        Do((node, now) => node.Read(first, records, end, now));

    /// <inheritdoc cref="ClusterNode.EndsAt"/>
    public void EndsAt(long end) => Do((node, _) => node.EndsAt(end));

    /// <inheritdoc cref="ClusterNode.Answered"/>
    public void Answered(long id, AppendAnswer answer) => Do((node, now) => node.Answered(id, answer, now));

    /// <inheritdoc cref="ClusterNode.Trimmed"/>
    public void Trimmed() => Do(static (node, _) => node.Trimmed());

    /// <inheritdoc cref="ClusterNode.HandOver"/>
    public void HandOver(string successor) => Do((node, _) => node.HandOver(successor));

    /// <inheritdoc cref="ClusterNode.EndLog"/>
    public void EndLog(string next) => Do((node, _) => node.EndLog(next));

    /// <inheritdoc cref="ClusterNode.UseFormat"/>
    public void UseFormat(int format) => Do((node, _) => node.UseFormat(format));

    /// <summary>Asks the log to confirm that this node leads.</summary>
    /// <param name="done">
    /// Receives whether it does, on the thread that drives the loop. It must not call back; after a stall it may never
    /// be called.
    /// </param>
    public void Confirm(Action<bool> done) => Do((node, now) => node.Confirm(done, now));

    /// <summary>Makes the store refuse new operations; those already accepted continue.</summary>
    public void EndWrites()
    {
        _ends = true;
        Refresh();
    }

    /// <summary>
    /// Resumes after a stall whose cause is gone, such as a full disk. It resumes like a new process: the log decides
    /// which pending entries count.
    /// </summary>
    /// <param name="start">A new start id.</param>
    public void Resume(Guid start)
    {
        if (Stall is null)
            return;
        _store.Follow();
        Forget();
        _options = _options with { Start = start };
        Stall = null;
        Loop = Begin();
        Refresh();
    }

    /// <inheritdoc/>
    public void Send(long transaction, ReadOnlySpan<byte> entry)
    {
        lock (_posting)
        {
            _posted.Enqueue((transaction, entry.ToArray()));
            _lastSent = transaction;
        }
        Posted?.Invoke();
    }

    void INodeHost.Append(long id, LogRecord record, long expected)
    {
        // Once the record can be read, another node may lead, so the lease that was given up for it must have ended
        // here.
        Refresh();
        if (Stall is null)
            _log.Append(id, record, expected);
    }

    void INodeHost.Publish(long transaction, in ReadPosition position)
    {
        if (Stall is not null)
            return;
        _store.Land(transaction, CommitOutcome.Accepted);
        Note(position);
    }

    void INodeHost.Apply(long transaction, ReadOnlyMemory<byte> payload, in ReadPosition position)
    {
        if (Stall is not null)
            return;
        try
        {
            _store.Apply(payload.Span);
            Note(position);
        }
        catch (StorageException e)
        {
            Stall = e;
        }
    }

    bool INodeHost.Has(long transaction, ReadOnlyMemory<byte> payload)
    {
        if (Stall is not null || transaction != _store.LastCommittedTransaction)
            return true;
        try
        {
            return _store.MayEndWith(payload.Span);
        }
        catch (StorageException e)
        {
            Stall = e;
            return true;
        }
    }

    void INodeHost.Drop(NodeRefusal reason)
    {
        Refresh();
        if (_store.Role != StorageRole.Leader)
            return;
        var first = _store.LastCommittedTransaction + 1;
        bool any;
        lock (_posting)
            any = _lastSent >= first;
        if (any && reason == NodeRefusal.NotAccepted && _store.Failure is null)
            _store.Land(first, CommitOutcome.Refused);
        else
            _store.Follow();
        Forget();
    }

    /// <summary>
    /// Answers a request for confirmation. For transactions there is nothing to do: the store answered them when they
    /// were published.
    /// </summary>
    void INodeHost.Acknowledge(object token) => (token as Action<bool>)?.Invoke(true);

    /// <inheritdoc cref="INodeHost.Acknowledge"/>
    void INodeHost.Refuse(object token, NodeRefusal reason) => (token as Action<bool>)?.Invoke(false);

    /// <summary>Drops the entries that were not passed on. A store that follows sends nothing.</summary>
    private void Forget()
    {
        lock (_posting)
        {
            _posted.Clear();
            _lastSent = 0;
        }
    }

    private void Note(in ReadPosition position)
    {
        if (_store.Failure is { } failure)
        {
            Stall = failure;
            return;
        }
        _position = position;
        _volatile.Enqueue(position);
    }

    private void Do(Action<ClusterNode, TimeSpan> what)
    {
        Stall ??= _store.Failure;
        if (Stall is not null)
            return;
        Propose();
        what(Loop, _clock());
        Propose();
        if (Stall is null && _store.Role == StorageRole.Follower && Loop.MayWrite(_clock()))
            _store.Lead(this);
        Refresh();
    }

    private void Propose()
    {
        while (true)
        {
            (long Transaction, byte[] Entry) next;
            lock (_posting)
            {
                if (!_posted.TryDequeue(out next))
                    return;
            }
            Loop.TryPrepare(out var expected);
            if (next.Transaction != expected)
            {
                throw new InvalidOperationException(
                    $"The store has sent transaction {next.Transaction}; the loop expects {expected}."
                );
            }
            Loop.Propose(next.Transaction, next.Entry, _clock());
        }
    }

    private void Refresh()
    {
        var now = _clock();
        Volatile.Write(ref _leasedUntil, Stall is null ? Loop.LeasedUntil(now).Ticks : long.MinValue);
        _takesWrites = Stall is null && _store.Role == StorageRole.Leader && Loop.MayWrite(now);
        _store.LeaderName = Loop.LeaderName;
        _store.Quarantine = Loop.Stop switch
        {
            NodeStop.AheadOfLog => "the log does not have what this node has read from it",
            NodeStop.LogLied => "the log does not have a record that it had acknowledged",
            _ => null,
        };
        if (_store.Role == StorageRole.Leader)
            _store.TakeWrites(Stall is null && !Loop.HandsOver && !_ends);
    }

    private ClusterNode Begin() => new(_options, this, _position, _store.LastCommittedTransaction + 1, _clock());
}
