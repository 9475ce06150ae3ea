using System.Runtime.InteropServices;

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

/// <summary>
/// A term of a batch. The bytes of the term come right behind, then the first slice of its occurrences; see
/// <see cref="TermTable"/>.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal unsafe struct BatchTerm
{
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

    /// <summary>Its number among the terms of the table.</summary>
    public int Index;

    /// <summary>Bytes of the term.</summary>
    public ushort KeyLength;
}

/// <summary>An entry of a batch and a number that belongs to it.</summary>
internal readonly record struct BatchPair(int Entry, int Value);

/// <summary>A number or point of an entry of a batch.</summary>
internal readonly record struct BatchValue(long Bits, int Entry, ColumnKind Kind);
