namespace Pipeline.Storage;

/// <summary>A page is damaged: its checksum, number, type or order is wrong. None of its content was used.</summary>
public sealed class CorruptPageException : StorageException
{
    /// <summary>Names the page and the problem.</summary>
    public CorruptPageException(string file, long page, string? tree, string reason)
        : base(
            $"{file}: page {page}{(tree is null ? "" : $" of tree '{tree}'")} is damaged: {reason}. Restore a backup, or salvage the readable data into a new store."
        )
    {
        File = file;
        Page = page;
        Tree = tree;
        Reason = reason;
    }

    /// <summary>The data file.</summary>
    public string File { get; }

    /// <summary>The number of the damaged page.</summary>
    public long Page { get; }

    /// <summary>The tree in which the page was read, if known.</summary>
    public string? Tree { get; }

    /// <summary>The damage.</summary>
    public string Reason { get; }
}

/// <summary>
/// The journal lacks or garbles a committed transaction. Either later valid ones follow it, or the last checkpoint
/// names a place in the journal that does not exist. A torn end of the journal is not corruption and raises nothing:
/// a power cut leaves it.
/// </summary>
public sealed class JournalCorruptException : StorageException
{
    /// <summary>Names the place and the problem.</summary>
    public JournalCorruptException(string file, long offset, long transaction, string reason)
        : base(
            $"{file}: at offset {offset}, where transaction {transaction} must be: {reason}. Opening would lose committed transactions; restore a backup, or salvage the readable data into a new store."
        )
    {
        File = file;
        Offset = offset;
        Transaction = transaction;
        Reason = reason;
    }

    /// <summary>The journal file.</summary>
    public string File { get; }

    /// <summary>The byte offset of the entry.</summary>
    public long Offset { get; }

    /// <summary>The transaction that was expected there.</summary>
    public long Transaction { get; }

    /// <summary>The damage.</summary>
    public string Reason { get; }
}
