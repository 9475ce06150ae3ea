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
