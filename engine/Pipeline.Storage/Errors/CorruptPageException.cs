namespace Pipeline.Storage;

/// <summary>A page does not hold what it must: its checksum, number, type or order is wrong. Nothing of it was used.</summary>
public sealed class CorruptPageException : StorageException
{
    /// <summary>Names the page and what is wrong with it.</summary>
    public CorruptPageException(string file, long page, string? tree, string reason)
        : base($"{file}: page {page}{(tree is null ? "" : $" of tree '{tree}'")} is damaged: {reason}. Restore a backup, or salvage what is readable into a new store.")
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

    /// <summary>The tree in which it was met, where that is known.</summary>
    public string? Tree { get; }

    /// <summary>What is wrong.</summary>
    public string Reason { get; }
}
