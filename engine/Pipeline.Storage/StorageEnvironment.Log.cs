namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>The unique name of this store's journal: a restored copy has another one.</summary>
    public Guid StoreId => _store.Checkpoint.StoreId;

    /// <summary>
    /// The store's life, a random number. A restore has another one, and with <see cref="StorageOptions.KeepsLife"/> so
    /// do an opened copy and an older state that was put back. Renaming the folder keeps it. Snapshots of a whole disk
    /// share it.
    /// </summary>
    public long Life => _store.Checkpoint.Life.Id;

    /// <summary>How <see cref="Life"/> began.</summary>
    public StoreOrigin Origin => _store.Checkpoint.Life.Origin;

    /// <summary>Those for whom the journal is kept.</summary>
    public IReadOnlyList<LogHold> LogHolds => _store.Journal?.Holds ?? [];

    /// <summary>Bytes of journal files that are kept for them and for nothing else.</summary>
    public long HeldLogBytes => _store.Journal?.HeldBytes ?? 0;

    /// <summary>
    /// Keeps the journal from the last commit on for somebody, also across closing and opening, until they move or
    /// release their hold or
    /// <see cref="StorageOptions.MaxHeldJournalBytes"/> is passed. A hold of the name that is there moves.
    /// </summary>
    /// <exception cref="InvalidOperationException">The store is in memory and has no journal.</exception>
    public LogPosition HoldLog(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Journal().Hold(name, () => LogPosition.Of(Volatile.Read(ref _store.Published)));
    }

    /// <summary>As <see cref="HoldLog(string)"/>, from a position that is still kept.</summary>
    /// <exception cref="LogUnavailableException">It is not.</exception>
    public void HoldLog(string name, LogPosition position)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Journal().Hold(name, position);
    }

    /// <summary>Ends a hold; false if there was none.</summary>
    public bool ReleaseLog(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Journal().Release(name);
    }

    /// <summary>
    /// Hands each transaction behind a held position, up to a committed one, to the handler, in order. Writers
    /// continue.
    /// </summary>
    /// <returns>The store as of the last of them.</returns>
    /// <exception cref="LogUnavailableException">One of them no longer exists, or is damaged.</exception>
    public LogState ReadLog(
        LogPosition from,
        LogPosition through,
        LogEntryHandler handler,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(through.Transaction, LastCommittedTransaction);
        unsafe
        {
            var last = Journal().Read(from, through.Transaction, _store.Cipher, Hand, ct);
            return last.Journal.Chain == through.Chain
                ? LogState.Of(last)
                : throw new LogUnavailableException(
                    _store.Name,
                    from.Transaction + 1,
                    $"transaction {last.TransactionId} is another one than was expected"
                );

            void Hand(StoreState state, byte* records, byte* end, int count) =>
                handler(LogState.Of(state), count, new ReadOnlySpan<byte>(records, checked((int)(end - records))));
        }
    }

    /// <summary>
    /// As <see cref="ReadLog"/>, without knowing the last transaction's checksum, so that a long journal can be read in
    /// pieces.
    /// </summary>
    /// <returns>The position to read on from.</returns>
    internal LogPosition ReadLogPiece(LogPosition from, long through, LogEntryHandler handler, CancellationToken ct)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(through, LastCommittedTransaction);
        unsafe
        {
            return LogPosition.Of(Journal().Read(from, through, _store.Cipher, Hand, ct));

            void Hand(StoreState state, byte* records, byte* end, int count) =>
                handler(LogState.Of(state), count, new ReadOnlySpan<byte>(records, checked((int)(end - records))));
        }
    }

    private JournalFiles Journal()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _store.Journal ?? throw new InvalidOperationException("A store in memory has no journal to keep.");
    }
}
