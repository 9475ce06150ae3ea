namespace Pipeline.Indexing;

/// <summary>A term of a batch. Where it occurs is written behind it, in slices that grow; see <see cref="TermTable"/>.</summary>
internal unsafe struct BatchTerm
{
    /// <summary>Two bytes of length, then the term; behind it the first slice.</summary>
    public byte* Key;

    /// <summary>Where the next byte goes.</summary>
    public byte* Tail;

    /// <summary>Bytes of the last slice, and those that are left in it.</summary>
    public int SliceSize;
    public int Room;

    /// <summary>The last entry that has it, −1 at first, and the last position there.</summary>
    public int LastEntry;
    public int LastPosition;

    /// <summary>Entries that have it, and its occurrences in all of them.</summary>
    public int Entries;
    public int Occurrences;

    /// <summary>Bytes in all slices.</summary>
    public int Length;

    public readonly int KeyLength => *(ushort*)Key;

    public readonly ReadOnlySpan<byte> Term => new(Key + sizeof(ushort), KeyLength);
}
