namespace Pipeline.Indexing;

/// <summary>An entry of a batch.</summary>
internal unsafe struct BatchEntry
{
    public int Document;

    /// <summary>The entry of the same document before; −1 for none.</summary>
    public int Before;

    /// <summary>Deleted within the same batch.</summary>
    public bool IsDeleted;

    public int StoredLength;
    public byte* Stored;
}
