using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Pipeline.Indexing;

/// <summary>
/// The terms of one field of a batch, found by hashing, each with the entries and positions where it occurs.
/// </summary>
/// <remarks>
/// <para>
/// An occurrence is written as base-128 numbers. In lists with frequencies: the distance to the last entry, doubled,
/// plus one, then the position; or, where the entry is the same, the distance to the last position, doubled. In plain
/// lists the distance to the last entry. They go into slices, the first behind the term itself; each is full before the
/// next is begun, and ends with a pointer to it. A bucket holds the pointer to a term and, in its upper 16 bits, the
/// upper bits of the hash.
/// </para>
/// <para>
/// Safety of the pointers: terms and slices lie in an arena that lives as long as the batch; a slice's room is counted
/// down with each byte written. Addresses of user space have 47 bits on all systems that .NET runs on, 48 with some
/// kernels' options. Not thread-safe.
/// </para>
/// </remarks>
internal sealed unsafe class TermTable : IDisposable
{
    private const int FirstSlice = 12;
    private const int LinkSize = 8;
    private const int MaxSlice = 2048;
    private const int MaxRecord = 10;
    private const int FirstBuckets = 256;
    private const ulong Tag = 0xFFFF000000000000;
    private readonly NativeArena _arena;
    private readonly NativeList<nint> _terms = new();
    private ulong* _buckets;
    private int _mask = FirstBuckets - 1;

    public TermTable(NativeArena arena)
    {
        _arena = arena;
        _buckets = (ulong*)NativeMemory.AllocZeroed(FirstBuckets, sizeof(ulong));
    }

    ~TermTable() => Free();

    public int Count => _terms.Count;

    /// <summary>Bytes outside the arena.</summary>
    public long Bytes => _terms.Bytes + ((_mask + 1L) * sizeof(ulong));

    /// <summary>The bytes of the next growth if it is near; see <see cref="NativeList{T}.Growth"/>.</summary>
    public long Growth => _terms.Growth + (_terms.Count < _mask / 16 * 7 ? 0 : (_mask + 1L) * 2 * sizeof(ulong));

    public BatchTerm* this[int index] => (BatchTerm*)_terms[index];

    /// <summary>The two bytes of length, with the term behind them.</summary>
    public static byte* KeyOf(BatchTerm* term) => (byte*)&term->KeyLength;

    /// <summary>Asks for the memory of a hash's bucket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchBucket(ulong hash)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(_buckets + ((int)hash & _mask));
    }

    /// <summary>Asks for the memory of the term in a hash's bucket, if there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchTerm(ulong hash)
    {
        if (!Sse.IsSupported)
            return;
        var term = (byte*)(_buckets[(int)hash & _mask] & ~Tag);
        Sse.Prefetch0(term);
        Sse.Prefetch0(term + 64);
    }

    /// <summary>A term, new or not.</summary>
    /// <param name="key">Its bytes.</param>
    /// <param name="length">How many.</param>
    /// <param name="hash">Their <see cref="TermHash"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public BatchTerm* GetOrAdd(byte* key, int length, ulong hash)
    {
        var at = (int)hash & _mask;
        while (true)
        {
            var bucket = _buckets[at];
            if (bucket == 0)
                return Add(key, length, hash, at);
            if (((bucket ^ hash) & Tag) == 0)
            {
                var term = (BatchTerm*)(bucket & ~Tag);
                if (term->KeyLength == length && AreEqual((byte*)(term + 1), key, length))
                    return term;
            }

            at = (at + 1) & _mask;
        }
    }

    /// <summary>
    /// Notes an occurrence in a list with frequencies; entries and, within one, positions must not fall.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AddOccurrence(BatchTerm* term, int entry, int position, bool hasPositions)
    {
        term->Occurrences++;
        if (term->LastEntry == entry)
        {
            Append(term, (ulong)(uint)(hasPositions ? position - term->LastPosition : 0) << 1);
        }
        else
        {
            Append(term, ((ulong)(uint)(entry - term->LastEntry) << 1) | 1);
            if (hasPositions)
                Append(term, (uint)position);
            term->LastEntry = entry;
            term->Entries++;
        }

        term->LastPosition = position;
    }

    /// <summary>Notes an entry in a plain list; false if it is already there.</summary>
    public bool AddEntry(BatchTerm* term, int entry)
    {
        if (term->LastEntry == entry)
            return false;
        Append(term, (uint)(entry - term->LastEntry));
        term->LastEntry = entry;
        term->Entries++;
        term->Occurrences++;
        return true;
    }

    /// <summary>Copies the term's occurrences, <see cref="BatchTerm.Length"/> bytes.</summary>
    public static void CopyOccurrences(BatchTerm* term, byte* target)
    {
        var slice = (byte*)(term + 1) + term->KeyLength;
        var size = FirstSlice;
        var left = term->Length;
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
    private BatchTerm* Add(byte* key, int length, ulong hash, int at)
    {
        // Terms begin at multiples of eight.
        var size = (sizeof(BatchTerm) + length + FirstSlice + LinkSize + 7) & ~7;
        var term = (BatchTerm*)_arena.TakeAligned(size);
        *term = default;
        term->KeyLength = (ushort)length;
        term->Tail = (byte*)(term + 1) + length;
        term->Room = term->SliceSize = FirstSlice;
        term->LastEntry = -1;
        term->Index = _terms.Count;
        Unsafe.CopyBlockUnaligned((byte*)(term + 1), key, (uint)length);
        _terms.Add((nint)term);
        _buckets[at] = (hash & Tag) | (ulong)term;
        if (_terms.Count * 2 > _mask)
            GrowBuckets();
        return term;
    }

    private void GrowBuckets()
    {
        var mask = checked((_mask * 2) + 1);
        var buckets = (ulong*)NativeMemory.AllocZeroed((nuint)mask + 1, sizeof(ulong));
        for (var i = 0; i < _terms.Count; i++)
        {
            var term = this[i];
            var hash = TermHash.Of((byte*)(term + 1), term->KeyLength);
            var at = (int)hash & mask;
            while (buckets[at] != 0)
                at = (at + 1) & mask;
            buckets[at] = (hash & Tag) | (ulong)term;
        }

        NativeMemory.Free(_buckets);
        _buckets = buckets;
        _mask = mask;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Append(BatchTerm* term, ulong value)
    {
        if (term->Room < MaxRecord)
        {
            AppendAcross(term, value);
            return;
        }

        var at = term->Tail;
        for (; value >= 0x80; value >>= 7)
            *at++ = (byte)(value | 0x80);
        *at++ = (byte)value;
        var count = (int)(at - term->Tail);
        term->Tail = at;
        term->Room -= count;
        term->Length += count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AppendAcross(BatchTerm* term, ulong value)
    {
        bool more;
        do
        {
            more = value >= 0x80;
            if (term->Room == 0)
                BeginSlice(term);
            *term->Tail++ = (byte)(more ? value | 0x80 : value);
            term->Room--;
            term->Length = checked(term->Length + 1);
            value >>= 7;
        } while (more);
    }

    private void BeginSlice(BatchTerm* term)
    {
        var size = NextSlice(term->SliceSize);
        var slice = _arena.Take(size + LinkSize);
        Unsafe.WriteUnaligned(term->Tail, (nint)slice);
        term->Tail = slice;
        term->Room = term->SliceSize = size;
    }

    private static int NextSlice(int size) => Math.Min(size * 2, MaxSlice);

    private void Free()
    {
        NativeMemory.Free(_buckets);
        _buckets = null;
    }
}
