namespace Pipeline.Indexing;

/// <summary>A document of a batch.</summary>
internal unsafe struct BatchDocument
{
    /// <summary>Two bytes of length, then the id.</summary>
    public byte* Id;

    /// <summary>
    /// Its last entry that is not deleted again, −1 for none; <see cref="BatchEntry.Before"/> leads to the others.
    /// </summary>
    public int LastEntry;

    /// <summary>Entries that are not deleted again.</summary>
    public int Entries;

    /// <summary>Entries of before this batch are deleted.</summary>
    public bool IsDeleted;

    public readonly ReadOnlySpan<byte> Key => new(Id + sizeof(ushort), *(ushort*)Id);
}
