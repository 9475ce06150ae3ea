using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

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
