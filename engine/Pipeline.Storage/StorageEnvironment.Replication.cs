namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>
    /// Raised when <see cref="Role"/> has changed, on the thread whose call of <see cref="Lead"/>,
    /// <see cref="Follow"/> or <see cref="Land"/> did it. No operation runs during the call. A handler must return at
    /// once, must not throw and must not wait for writes.
    /// </summary>
    public event Action<StorageRole>? RoleChanged;

    /// <summary>What the store is in its cluster.</summary>
    public StorageRole Role => _committer.Role;

    /// <summary>
    /// The name of the node that leads, as <see cref="NotLeaderException"/> tells it; null if it is unknown. Whoever
    /// drives the replica sets it.
    /// </summary>
    public string? LeaderName
    {
        get => _committer.LeaderName;
        set => _committer.LeaderName = value;
    }

    /// <summary>
    /// Why the node is quarantined, as <see cref="QuarantinedException"/> tells it; null if it is not. Whoever drives the
    /// replica sets it, and has it follow.
    /// </summary>
    public string? Quarantine
    {
        get => _committer.Quarantine;
        set => _committer.Quarantine = value;
    }

    /// <summary>The error with which this node refuses what only the leader does.</summary>
    /// <param name="name">The store's name for people; its folder by default.</param>
    public NotLeaderException RefuseToLead(string? name = null) => _committer.NotLeader(name);

    /// <summary>
    /// Whether this node is certain to lead at this moment. A snapshot that was opened <em>before</em> this was read as
    /// true holds every acknowledged write.
    /// </summary>
    public bool HoldsLease => _committer.HoldsLease;

    /// <summary>
    /// Has a leading store refuse new operations with <see cref="NotLeaderException"/>, or take them again. Those that
    /// it has taken go on. The next <see cref="Lead"/> takes operations.
    /// </summary>
    public void TakeWrites(bool takes) => _committer.TakeWrites(takes);

    /// <summary>
    /// A transaction that the local disk holds whatever crash comes: the last one of the checkpoint or of the synced
    /// journal. In a replica it may be older than
    /// <see cref="LastCommittedTransaction"/>; what follows it must stay in the shared log.
    /// </summary>
    public long DurableTransaction =>
        _store.Options.IsReplica && _store.Journal is { } journal
            ? Math.Max(journal.SyncedThrough, _store.Checkpoint.State.TransactionId)
            : LastCommittedTransaction;

    /// <summary>
    /// Begins to lead. From now on the store takes writes and sends their entries to the log, and a write completes
    /// when <see cref="Land"/> says that its entry is accepted. The first transaction is the one after
    /// <see cref="LastCommittedTransaction"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The store leads already, or was not opened with <see cref="StorageOptions.IsReplica"/>.
    /// </exception>
    /// <exception cref="StorageFailedException">A write or sync has failed; the store must be opened again.</exception>
    public void Lead(ICommitLog log)
    {
        ArgumentNullException.ThrowIfNull(log);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        _committer.Lead(log);
        RoleChanged?.Invoke(StorageRole.Leader);
    }

    /// <summary>
    /// Ends the time as leader, as <see cref="Land"/> with <see cref="CommitOutcome.Unknown"/> does: all that is not
    /// accepted is undone. Nothing happens if the store does not lead.
    /// </summary>
    public void Follow()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        var before = _committer.Role;
        _committer.Follow();
        TellFollower(before);
    }

    /// <summary>
    /// Tells the leading store what became of an entry. Accepted: it and all sent before it are written to the local
    /// journal, published, and their callers are answered. Otherwise it and all sent after it are undone in memory,
    /// their callers get a <see cref="NotAcceptedException"/>, and the store follows. Until then an entry without an
    /// outcome keeps its callers waiting. Must not be called within an operation or <see cref="ICommitLog.Send"/>.
    /// </summary>
    /// <param name="transaction">The transaction; the oldest one on its way unless it is accepted.</param>
    /// <param name="outcome">The outcome.</param>
    /// <exception cref="InvalidOperationException">
    /// The transaction is not on its way, or an older one has no outcome yet.
    /// </exception>
    public void Land(long transaction, CommitOutcome outcome)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        var before = _committer.Role;
        _committer.Land(transaction, outcome);
        TellFollower(before);
    }

    /// <summary>
    /// Applies the entry of another node's transaction. Its page changes become visible as one commit; open snapshots,
    /// flushes and scrubs go on.
    /// <see cref="Committed"/> is raised before it returns. Entries of one store must be applied one after the other.
    /// </summary>
    /// <param name="entry">The entry, as <see cref="ICommitLog.Send"/> got it.</param>
    /// <returns>Its transaction.</returns>
    /// <exception cref="EntryOutOfOrderException">
    /// It is not the transaction after <see cref="LastCommittedTransaction"/>.
    /// </exception>
    /// <exception cref="CorruptEntryException">The bytes are damaged.</exception>
    /// <exception cref="ReplicaDivergedException">A changed page differs from the leader's.</exception>
    /// <exception cref="CorruptPageException">A page that it changes is damaged on this disk.</exception>
    /// <exception cref="DiskFullException">There is no room; nothing was applied.</exception>
    /// <exception cref="ScratchFullException">Open readers hold too much memory; nothing was applied.</exception>
    /// <exception cref="StorageFailedException">A write or sync has failed; the store must be opened again.</exception>
    /// <exception cref="InvalidOperationException">
    /// The store leads, or was not opened with <see cref="StorageOptions.IsReplica"/>.
    /// </exception>
    public long Apply(ReadOnlySpan<byte> entry)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _committer.Apply(entry);
    }

    /// <summary>
    /// Whether an entry of the log may be this store's last transaction. Another leader's transaction of the same number
    /// was committed at another time.
    /// </summary>
    /// <exception cref="CorruptEntryException">The bytes are damaged.</exception>
    internal unsafe bool MayEndWith(ReadOnlySpan<byte> entry)
    {
        StoreState state;
        fixed (byte* start = entry)
            state = LogEntry.Read(start, entry.Length, out _);
        using var snapshot = BeginRead("log");
        var last = snapshot.LogState;
        // A store that was salvaged does not know when its last transaction was.
        return last.Transaction != state.TransactionId || last.Ticks == 0 || last.Ticks == state.Ticks;
    }

    private void TellFollower(StorageRole before)
    {
        if (before == StorageRole.Leader && _committer.Role == StorageRole.Follower)
            RoleChanged?.Invoke(StorageRole.Follower);
    }
}
