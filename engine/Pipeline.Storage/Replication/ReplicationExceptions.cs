namespace Pipeline.Storage;

/// <summary>
/// The store follows a shared log, so it takes no writes. Nothing was changed. Send the write to the leader.
/// </summary>
public class NotLeaderException : StorageException
{
    /// <summary>Names the store, and the node that leads if it is known.</summary>
    public NotLeaderException(string store, string? leader = null)
        : base(
            leader is null
                ? $"{store} does not lead its cluster and takes no writes. Nothing was changed; send the write to the leader."
                : $"{store} does not lead its cluster and takes no writes. Nothing was changed; send the write to the node '{leader}', which leads."
        ) => (Store, Leader) = (store, leader);

    /// <summary>Creates the error with another message.</summary>
    private protected NotLeaderException(string message, string store, string? leader)
        : base(message) => (Store, Leader) = (store, leader);

    /// <summary>The store's folder.</summary>
    public string Store { get; }

    /// <summary>The name of the node that leads; null if none is known.</summary>
    public string? Leader { get; }
}

/// <summary>
/// The node has what the shared log does not, because the log lost it. It takes no writes and answers no reads of fresh
/// state.
/// </summary>
public sealed class QuarantinedException : NotLeaderException
{
    /// <summary>Names the store, the reason, and the node that leads if it is known.</summary>
    public QuarantinedException(string store, string reason, string? leader = null)
        : base(
            $"{store} is quarantined: {reason}. Nothing was changed; send the request to another node, export what only this node has, and fill it from a peer.",
            store,
            leader
        ) => Reason = reason;

    /// <summary>Why.</summary>
    public string Reason { get; }
}

/// <summary>The shared log did not accept a transaction, or nobody knows whether it did.</summary>
public sealed class NotAcceptedException : StorageException
{
    /// <summary>Names the transaction and its outcome.</summary>
    public NotAcceptedException(string store, long transaction, CommitOutcome outcome, Exception? cause = null)
        : base(
            outcome == CommitOutcome.Refused
                ? $"{store}: the shared log refused transaction {transaction}: this node no longer leads. Nothing was changed; send the write to the leader."
                : $"{store}: it is not known whether the shared log has transaction {transaction}. Read the data from the leader before you repeat the write.",
            cause
        )
    {
        Transaction = transaction;
        Outcome = outcome;
    }

    /// <summary>The transaction on whose state the answer would have depended.</summary>
    public long Transaction { get; }

    /// <summary><see cref="CommitOutcome.Refused"/> or <see cref="CommitOutcome.Unknown"/>.</summary>
    public CommitOutcome Outcome { get; }
}

/// <summary>An entry is not the one that follows the store's last transaction. Nothing was applied.</summary>
public sealed class EntryOutOfOrderException : StorageException
{
    /// <summary>Names both transactions.</summary>
    public EntryOutOfOrderException(string store, long expected, long actual)
        : base($"{store}: the entry of transaction {expected} comes next, not that of {actual}.") =>
        (Expected, Actual) = (expected, actual);

    /// <summary>The transaction after the store's last one.</summary>
    public long Expected { get; }

    /// <summary>The entry's transaction.</summary>
    public long Actual { get; }
}

/// <summary>The bytes are not an entry of a shared log, or are damaged. Nothing was applied.</summary>
public sealed class CorruptEntryException : StorageException
{
    /// <summary>Names the problem.</summary>
    public CorruptEntryException(string reason)
        : base($"The entry of a shared log is damaged: {reason}. Read it from the log again.") => Reason = reason;

    /// <summary>The damage.</summary>
    public string Reason { get; }
}

/// <summary>
/// A page that a transaction changes differs from the leader's page. Nothing was applied. The store must be filled
/// again from a peer or a backup.
/// </summary>
public sealed class ReplicaDivergedException : StorageException
{
    /// <summary>Names page and transaction.</summary>
    public ReplicaDivergedException(string store, long page, long transaction, string reason)
        : base(
            $"{store}: page {page} differs from the leader's as of transaction {transaction}: {reason}. Nothing was applied; fill the store again from a peer or a backup."
        )
    {
        Page = page;
        Transaction = transaction;
        Reason = reason;
    }

    /// <summary>The page's number.</summary>
    public long Page { get; }

    /// <summary>The transaction that was to be applied.</summary>
    public long Transaction { get; }

    /// <summary>The difference.</summary>
    public string Reason { get; }
}
