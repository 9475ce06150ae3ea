namespace Pipeline.Storage;

/// <summary>The place at which the journal continues after a transaction.</summary>
/// <param name="File">The number of the journal file.</param>
/// <param name="Offset">The byte offset behind the transaction's entry.</param>
/// <param name="Chain">The checksum of that entry, which the next one repeats.</param>
internal readonly record struct JournalPosition(long File, long Offset, uint Chain);

/// <summary>The state of the store as of one transaction, except for its pages. Immutable.</summary>
internal sealed record StoreState
{
    /// <summary>The transaction.</summary>
    public required long TransactionId { get; init; }

    /// <summary>Pages ever used: all live pages have smaller numbers.</summary>
    public required long PageCount { get; init; }

    /// <summary>Free pages among them.</summary>
    public required long FreePages { get; init; }

    /// <summary>The root of the catalog of trees; 0 while there is none.</summary>
    public required long CatalogRoot { get; init; }

    /// <summary>When it was committed, in UTC ticks.</summary>
    public required long Ticks { get; init; }

    /// <summary>The last value of <see cref="WriteTransaction.Mark"/> since the opening; 0 if it was not set.</summary>
    public long Mark { get; init; }

    /// <summary>The place at which the journal continues.</summary>
    public required JournalPosition Journal { get; init; }
}
