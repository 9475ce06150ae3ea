using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>The terms of one field of a batch, found by hashing, each with the entries and positions where it occurs.</summary>
/// <remarks>
/// <para>
/// An occurrence is written as base-128 numbers. In lists with frequencies: the distance to the last entry, doubled, plus one, then the
/// position; or, where the entry is the same, the distance to the last position, doubled. In plain lists the distance to the last
/// entry. They go into slices, the first behind the term itself; each is full before the next is begun, and ends with a pointer to it.
/// </para>
/// <para>
/// Safety of the pointers: terms and slices lie in an arena that lives as long as the batch; a slice's room is counted down with each byte
/// written. Not thread-safe.
/// </para>
/// </remarks>
internal sealed unsafe class TermTable : IDisposable
{
    private const int FirstSlice = 12;
    private const int LinkSize = 8;
    private const int MaxSlice = 2048;
    private const int MaxRecord = 10;
    private readonly NativeArena _arena;
    private readonly NativeList<BatchTerm> _terms = new();
    private ulong* _buckets;
    private int _mask = 255;

    public TermTable(NativeArena arena)
    {
        _arena = arena;
        _buckets = (ulong*)NativeMemory.AllocZeroed(256, sizeof(ulong));
    }

    ~TermTable() => Free();

    public int Count => _terms.Count;

    /// <summary>Bytes beside those in the arena.</summary>
    public long Bytes => _terms.Bytes + ((_mask + 1L) * sizeof(ulong));

    public ref BatchTerm this[int index] => ref _terms[index];

    /// <summary>The index of a term, new or not.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int GetOrAdd(byte* key, int length)
    {
        var hash = TermHash.Of(key, length);
        var tag = hash & 0xFFFFFFFF00000000;
        var at = (int)hash & _mask;
        while (true)
        {
            var bucket = _buckets[at];
            if (bucket == 0)
                return Add(key, length, hash, at);
            if ((bucket & 0xFFFFFFFF00000000) == tag)
            {
                var index = (int)(uint)bucket - 1;
                var stored = _terms[index].Key;
                if (*(ushort*)stored == length && AreEqual(stored + sizeof(ushort), key, length))
                    return index;
            }

            at = (at + 1) & _mask;
        }
    }

    /// <summary>Notes an occurrence in a list with frequencies; entries and, within one, positions must not fall.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AddOccurrence(int index, int entry, int position, bool hasPositions)
    {
        ref var term = ref _terms[index];
        term.Occurrences++;
        if (term.LastEntry == entry)
        {
            Append(ref term, (ulong)(uint)(hasPositions ? position - term.LastPosition : 0) << 1);
        }
        else
        {
            Append(ref term, ((ulong)(uint)(entry - term.LastEntry) << 1) | 1);
            if (hasPositions)
                Append(ref term, (uint)position);
            term.LastEntry = entry;
            term.Entries++;
        }

        term.LastPosition = position;
    }

    /// <summary>Notes an entry in a plain list; false where it is there already.</summary>
    public bool AddEntry(int index, int entry)
    {
        ref var term = ref _terms[index];
        if (term.LastEntry == entry)
            return false;
        Append(ref term, (uint)(entry - term.LastEntry));
        term.LastEntry = entry;
        term.Entries++;
        term.Occurrences++;
        return true;
    }

    /// <summary>Copies what was written of a term, <see cref="BatchTerm.Length"/> bytes.</summary>
    public static void CopyOccurrences(in BatchTerm term, byte* target)
    {
        var slice = term.Key + sizeof(ushort) + term.KeyLength;
        var size = FirstSlice;
        var left = term.Length;
        while (true)
        {
            var count = Math.Min(left, size);
            Unsafe.CopyBlockUnaligned(target, slice, (uint)count);
            left -= count;
            if (left == 0)
                return;
            target += count;
            slice = (byte*)Unsafe.ReadUnaligned<nint>(slice + size);
            size = NextSlice(size);
        }
    }

    public void Dispose()
    {
        _terms.Dispose();
        Free();
        GC.SuppressFinalize(this);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool AreEqual(byte* left, byte* right, int length)
    {
        if (length >= 8)
        {
            for (var i = 0; i + 8 <= length; i += 8)
            {
                if (Unsafe.ReadUnaligned<ulong>(left + i) != Unsafe.ReadUnaligned<ulong>(right + i))
                    return false;
            }

            return Unsafe.ReadUnaligned<ulong>(left + length - 8) == Unsafe.ReadUnaligned<ulong>(right + length - 8);
        }

        if (length >= 4)
        {
            return Unsafe.ReadUnaligned<uint>(left) == Unsafe.ReadUnaligned<uint>(right)
                && Unsafe.ReadUnaligned<uint>(left + length - 4) == Unsafe.ReadUnaligned<uint>(right + length - 4);
        }

        for (var i = 0; i < length; i++)
        {
            if (left[i] != right[i])
                return false;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Add(byte* key, int length, ulong hash, int at)
    {
        var stored = _arena.Take(sizeof(ushort) + length + FirstSlice + LinkSize);
        *(ushort*)stored = (ushort)length;
        Unsafe.CopyBlockUnaligned(stored + sizeof(ushort), key, (uint)length);
        _terms.Add(new BatchTerm { Key = stored, Tail = stored + sizeof(ushort) + length, Room = FirstSlice, SliceSize = FirstSlice, LastEntry = -1 });
        _buckets[at] = (hash & 0xFFFFFFFF00000000) | (uint)_terms.Count;
        if (_terms.Count * 2 > _mask)
            GrowBuckets();
        return _terms.Count - 1;
    }

    private void GrowBuckets()
    {
        var mask = checked((_mask * 2) + 1);
        var buckets = (ulong*)NativeMemory.AllocZeroed((nuint)mask + 1, sizeof(ulong));
        for (var i = 0; i < _terms.Count; i++)
        {
            var hash = TermHash.Of(_terms[i].Key + sizeof(ushort), _terms[i].KeyLength);
            var at = (int)hash & mask;
            while (buckets[at] != 0)
                at = (at + 1) & mask;
            buckets[at] = (hash & 0xFFFFFFFF00000000) | (uint)(i + 1);
        }

        NativeMemory.Free(_buckets);
        _buckets = buckets;
        _mask = mask;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Append(ref BatchTerm term, ulong value)
    {
        if (term.Room < MaxRecord)
        {
            AppendAcross(ref term, value);
            return;
        }

        var at = term.Tail;
        for (; value >= 0x80; value >>= 7)
            *at++ = (byte)(value | 0x80);
        *at++ = (byte)value;
        var count = (int)(at - term.Tail);
        term.Tail = at;
        term.Room -= count;
        term.Length += count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AppendAcross(ref BatchTerm term, ulong value)
    {
        bool more;
        do
        {
            more = value >= 0x80;
            if (term.Room == 0)
                BeginSlice(ref term);
            *term.Tail++ = (byte)(more ? value | 0x80 : value);
            term.Room--;
            term.Length = checked(term.Length + 1);
            value >>= 7;
        }
        while (more);
    }

    private void BeginSlice(ref BatchTerm term)
    {
        var size = NextSlice(term.SliceSize);
        var slice = _arena.Take(size + LinkSize);
        Unsafe.WriteUnaligned(term.Tail, (nint)slice);
        term.Tail = slice;
        term.Room = term.SliceSize = size;
    }

    private static int NextSlice(int size) => Math.Min(size * 2, MaxSlice);

    private void Free()
    {
        NativeMemory.Free(_buckets);
        _buckets = null;
    }
}
