namespace Pipeline.Storage;

/// <summary>An open read transaction and the resources held for it.</summary>
/// <param name="Owner">The name given at its beginning, else that of the member that began it.</param>
/// <param name="Transaction">The snapshot.</param>
/// <param name="Age">How long it has been open.</param>
/// <param name="HeldTransactions">Later transactions that cannot be flushed to the data file while it is open.</param>
/// <param name="HeldVersions">Their versions of pages, in memory.</param>
/// <param name="HeldBytes">The bytes of those.</param>
/// <param name="HeldJournalBytes">The bytes of their journal entries.</param>
public sealed record ReaderStatistics(
    string Owner,
    long Transaction,
    TimeSpan Age,
    long HeldTransactions,
    long HeldVersions,
    long HeldBytes,
    long HeldJournalBytes
);
