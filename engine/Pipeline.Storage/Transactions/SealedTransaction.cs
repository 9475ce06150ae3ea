namespace Pipeline.Storage;

/// <summary>
/// A transaction whose changes are complete: being written to the journal, or durable and waiting for the flush.
/// </summary>
internal sealed class SealedTransaction(
    StoreState state,
    nint[] versions,
    List<PendingWrite> operations,
    JournalPlace place,
    JournalEntry? entry
)
{
    /// <summary>The state that it leads to.</summary>
    public StoreState State { get; } = state;

    /// <summary>The page versions it made.</summary>
    public nint[] Versions { get; } = versions;

    /// <summary>The operations to complete when it is durable.</summary>
    public List<PendingWrite> Operations { get; } = operations;

    /// <summary>
    /// Answers that depend on it or on a state before it: operations that changed nothing, and errors. Only with a
    /// shared log, else null.
    /// </summary>
    public List<(PendingWrite Operation, Exception? Error)>? Answers { get; set; }

    /// <summary>Operations for which a thread sleeps.</summary>
    public int Blocking { get; } = operations.Count(static o => o.Blocks);

    /// <summary>Where its entry goes.</summary>
    public JournalPlace Place { get; } = place;

    /// <summary>Its entry; null where the store is in memory.</summary>
    public JournalEntry? Entry { get; } = entry;

    /// <summary>The bytes of its entry in the journal.</summary>
    public long JournalBytes { get; } = entry?.AlignedLength ?? 0;
}
