namespace Pipeline.Storage;

/// <summary>Where the journal goes on after a transaction.</summary>
/// <param name="File">The number of the journal file.</param>
/// <param name="Offset">The byte offset behind the transaction's entry.</param>
/// <param name="Chain">The checksum of that entry, which the next one repeats.</param>
internal readonly record struct JournalPosition(long File, long Offset, uint Chain);

/// <summary>The store as of one transaction: what is not in pages. Immutable.</summary>
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

    /// <summary>What <see cref="WriteTransaction.Mark"/> was set to last since the opening; 0 where it was not.</summary>
    public long Mark { get; init; }

    /// <summary>Where the journal goes on.</summary>
    public required JournalPosition Journal { get; init; }
}
