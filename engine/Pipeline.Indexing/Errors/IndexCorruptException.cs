namespace Pipeline.Indexing;

/// <summary>The stored index is damaged. None of the damaged data was used.</summary>
public sealed class IndexCorruptException : Exception
{
    /// <summary>Names the place and the damage.</summary>
    public IndexCorruptException(string tree, string key, string reason)
        : base(
            $"The index is damaged in '{tree}' at {key}: {reason}. Reset the index, which rebuilds it from the documents."
        )
    {
        Tree = tree;
        Key = key;
        Reason = reason;
    }

    /// <summary>The tree of the index's store.</summary>
    public string Tree { get; }

    /// <summary>The key within the tree, as text.</summary>
    public string Key { get; }

    /// <summary>The damage.</summary>
    public string Reason { get; }
}
