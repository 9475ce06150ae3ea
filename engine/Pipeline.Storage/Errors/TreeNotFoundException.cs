namespace Pipeline.Storage;

/// <summary>There is no tree of that name in the snapshot.</summary>
public sealed class TreeNotFoundException : StorageException
{
    /// <summary>Names the tree.</summary>
    public TreeNotFoundException(string tree, long transaction)
        : base($"There is no tree '{tree}' as of transaction {transaction}.") => Tree = tree;

    /// <summary>The name that was asked for.</summary>
    public string Tree { get; }
}
