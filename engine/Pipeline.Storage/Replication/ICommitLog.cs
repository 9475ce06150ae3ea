namespace Pipeline.Storage;

/// <summary>
/// A log that decides which transactions of a leading store count. The store sends the entry of each transaction, and
/// learns from
/// <see cref="StorageEnvironment.Land"/> what became of it. The store calls the members from any of its threads, one
/// call of <see cref="Send"/> at a time.
/// </summary>
public interface ICommitLog
{
    /// <summary>
    /// The most bytes of an entry. An operation that needs more fails with a
    /// <see cref="TransactionTooLargeException"/>.
    /// </summary>
    int MaxEntryBytes { get; }

    /// <summary>
    /// Whether this node is certain to lead at this moment. The store asks before it releases a result or an error that
    /// depends on no entry on its way. Must return at once and must not call the store.
    /// </summary>
    bool Leads { get; }

    /// <summary>
    /// Sends the entry of a transaction. Entries are sent in the order of their transactions. Must copy the bytes and
    /// return without waiting for the log. Must not throw and must not call the store; an error is reported by
    /// <see cref="StorageEnvironment.Land"/>.
    /// </summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="entry">
    /// Its entry: page changes, not compressed and not encrypted. See <see cref="LogEntry"/>.
    /// </param>
    void Send(long transaction, ReadOnlySpan<byte> entry);
}
