using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <summary>
/// A block of one of two lists that are gone through together: where its entries are, with the positions of those that
/// both have. A bitmap is not unpacked: the place of an entry in it is the number of bits before. Frequencies and
/// positions are read when first asked for.
/// </summary>
/// <remarks>
/// <para>The cursor must not be moved by others during this.</para>
/// <para>
/// Safety of the pointers: they are to the starts of pinned arrays, or to positions in a page of the snapshot, which
/// does not move. An entry between <see cref="First"/> and <see cref="Last"/> has its bit in the words that were
/// copied; a place that is given is less than the number of entries, which the cursor has checked to be the number of
/// bits. Positions end where <see cref="TryRead"/> says, which is at least
/// <see cref="Spare"/> bytes before the array, or the stored value, does.
/// </para>
/// </remarks>
internal sealed unsafe class PairBlock
{
    /// <summary>Most positions of a block that are kept as bytes.</summary>
    public const int MaxPositions = 4096;

    /// <summary>Bytes that may be read behind the last position.</summary>
    public const int Spare = 32;

    private const int MaxWords = 64; // a bitmap is not larger than gaps of 31 bits
    private readonly PostingCursor _cursor;
    private readonly ulong[] _words = GC.AllocateArray<ulong>(MaxWords + 1, pinned: true);
    private readonly int[] _ranks = GC.AllocateArray<int>(MaxWords + 1, pinned: true);
    private readonly int[] _ends = GC.AllocateArray<int>(BlockCodec.Length + 1, pinned: true);
    private readonly byte[] _positions = GC.AllocateArray<byte>(MaxPositions + Spare, pinned: true);
    private readonly ulong* _word;
    private readonly int* _rank;
    private bool _isBitmap,
        _isRead;
    private int _wordCount,
        _index;

    /// <summary>Makes a block of a list.</summary>
    public PairBlock(PostingCursor cursor)
    {
        _cursor = cursor;
        _word = (ulong*)Unsafe.AsPointer(ref _words[0]);
        _rank = (int*)Unsafe.AsPointer(ref _ranks[0]);
        Ends = (int*)Unsafe.AsPointer(ref _ends[0]);
    }

    /// <summary>
    /// After <see cref="TryRead"/>, where the positions of each entry begin, and behind that of the last entry where
    /// they end.
    /// </summary>
    public int* Ends { get; }

    /// <summary>After <see cref="TryRead"/>, the positions.</summary>
    public byte* Positions { get; private set; }

    /// <summary>After <see cref="TryRead"/>, how many positions there are.</summary>
    public int PositionCount => Ends[_cursor.BlockCount];

    /// <summary>No entry of the block is less.</summary>
    public int First { get; private set; }

    /// <summary>The last entry; −1 before the first block.</summary>
    public int Last { get; private set; } = -1;

    /// <summary>Restarts: the cursor has not been moved in its list.</summary>
    public void Reset() => Last = -1;

    /// <summary>Moves to the block with the first entry that is not less; false if there is none.</summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public bool MoveTo(int target)
    {
        if (!_cursor.FindBlock(target, out _isBitmap))
            return false;
        (First, Last, _isRead) = (_cursor.BlockFirst, _cursor.BlockLast, false);
        _index = 0;
        if (_isBitmap)
        {
            _wordCount = _cursor.CopyBitmap(_words, _ranks);
            _words[_wordCount] = 0;
        }

        return true;
    }

    /// <summary>
    /// Returns the first entry of the block that is not less; greater than <see cref="Last"/> if there is none.
    /// </summary>
    public int NextEntry(int target)
    {
        if (_isBitmap)
        {
            var bit = Math.Max(0, target - First);
            for (var mask = ulong.MaxValue << bit; bit >> 6 < _wordCount; bit = (bit | 63) + 1, mask = ulong.MaxValue)
            {
                if ((_word[bit >> 6] & mask) is var word && word != 0)
                    return First + (bit & ~63) + BitOperations.TrailingZeroCount(word);
            }

            return Last + 1;
        }

        var entries = _cursor.BlockEntries;
        GoTo(entries, target);
        return _index < entries.Length ? entries[_index] : Last + 1;
    }

    /// <summary>The entries from one to another that two blocks have in common, with their places in both.</summary>
    /// <param name="a">A block.</param>
    /// <param name="b">Another list's block.</param>
    /// <param name="from">From this on, within both.</param>
    /// <param name="to">To this, included, within both.</param>
    /// <param name="inA">Takes places; room for a block.</param>
    /// <param name="inB">Takes places; room for a block.</param>
    /// <param name="entries">Takes entries; room for a block.</param>
    /// <returns>How many.</returns>
    public static int Intersect(
        PairBlock a,
        PairBlock b,
        int from,
        int to,
        Span<int> inA,
        Span<int> inB,
        Span<int> entries
    )
    {
        if (a._isBitmap && b._isBitmap)
            return IntersectBitmaps(a, b, from, to, inA, inB, entries);
        if (a._isBitmap)
            return b.IntersectBitmap(a, from, to, inB, inA, entries);
        return b._isBitmap
            ? a.IntersectBitmap(b, from, to, inA, inB, entries)
            : IntersectLists(a, b, from, to, inA, inB, entries);
    }

    /// <summary>
    /// Reads <see cref="Ends"/> and <see cref="Positions"/>; false where they do not fit into bytes, or are too many.
    /// </summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public bool TryRead()
    {
        if (_isRead)
            return Positions != null;
        _isRead = true;
        Positions = _cursor.ReadPositions(_ends, _positions);
        return Positions != null;
    }

    /// <summary>The positions where <see cref="TryRead"/> cannot give them.</summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public ReadOnlySpan<int> ReadWide(out ReadOnlySpan<int> ends)
    {
        _cursor.UnpackBitmap();
        _isBitmap = false;
        return _cursor.UnpackBlock(out ends);
    }

    private static int IntersectBitmaps(
        PairBlock a,
        PairBlock b,
        int from,
        int to,
        Span<int> inA,
        Span<int> inB,
        Span<int> entries
    )
    {
        var count = 0;
        for (var at = (long)from; at <= to; at += 64)
        {
            var (x, y) = (a.Bits((int)at), b.Bits((int)at));
            var both = x & y;
            if (to - at < 63)
                both &= (2UL << (int)(to - at)) - 1;
            if (both == 0)
                continue;
            var (rankA, rankB) = (a.Rank((int)at), b.Rank((int)at));
            for (; both != 0; both &= both - 1)
            {
                var before = (both & (0 - both)) - 1;
                inA[count] = rankA + BitOperations.PopCount(x & before);
                inB[count] = rankB + BitOperations.PopCount(y & before);
                entries[count++] = (int)at + BitOperations.TrailingZeroCount(both);
            }
        }

        return count;
    }

    private int IntersectBitmap(
        PairBlock bitmap,
        int from,
        int to,
        Span<int> inList,
        Span<int> inBitmap,
        Span<int> entries
    )
    {
        var own = _cursor.BlockEntries;
        GoTo(own, from);
        var words = bitmap._word;
        var ranks = bitmap._rank;
        var first = bitmap.First;
        var (i, count) = (_index, 0);
        CheckRoom(inList, inBitmap, entries);
        fixed (
            int* places = inList,
                others = inBitmap,
                found = entries
        )
        {
            for (; i < own.Length; i++)
            {
                var entry = own[i];
                if (entry > to)
                    break;
                var bit = entry - first;
                var word = words[bit >> 6];
                places[count] = i;
                found[count] = entry;
                others[count] = ranks[bit >> 6] + BitOperations.PopCount(word & ((1UL << bit) - 1));
                count += (int)(word >> bit) & 1;
            }
        }

        _index = i;
        return count;
    }

    private static int IntersectLists(
        PairBlock first,
        PairBlock second,
        int from,
        int to,
        Span<int> inA,
        Span<int> inB,
        Span<int> entries
    )
    {
        var a = first._cursor.BlockEntries;
        var b = second._cursor.BlockEntries;
        first.GoTo(a, from);
        second.GoTo(b, from);
        var (i, j, count) = (first._index, second._index, 0);
        CheckRoom(inA, inB, entries);
        // One of the blocks ends at the last entry that is asked for: that one runs out. There is never more in common
        // than either has left.
        fixed (
            int* ofA = a,
                ofB = b,
                places = inA,
                others = inB,
                found = entries
        )
        {
            // Eight of each at a time. The eight that end first are then done: they were compared with everything that
            // they could equal.
            while (Vector256.IsHardwareAccelerated && i + 8 <= a.Length && j + 8 <= b.Length)
            {
                var (x, y) = (Vector256.Load(ofA + i), Vector256.Load(ofB + j));
                var inX = AmongOthers(x, y);
                for (var inY = inX == 0 ? 0 : AmongOthers(y, x); inX != 0; inX &= inX - 1, inY &= inY - 1)
                {
                    places[count] = i + BitOperations.TrailingZeroCount(inX);
                    others[count] = j + BitOperations.TrailingZeroCount(inY);
                    found[count] = ofA[places[count]];
                    count++;
                }

                int lastX = x[7],
                    lastY = y[7];
                i += lastX <= lastY ? 8 : 0;
                j += lastY <= lastX ? 8 : 0;
            }

            while (i < a.Length && j < b.Length)
            {
                int x = ofA[i],
                    y = ofB[j];
                places[count] = i;
                others[count] = j;
                found[count] = x;
                count += x == y ? 1 : 0;
                i += x <= y ? 1 : 0;
                j += y <= x ? 1 : 0;
            }
        }

        (first._index, second._index) = (i, j);
        return count;
    }

    // A bit for each of eight numbers that is among eight others: these are turned until each has met each.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint AmongOthers(Vector256<int> numbers, Vector256<int> others)
    {
        var swapped = Vector256.Shuffle(others, Vector256.Create(4, 5, 6, 7, 0, 1, 2, 3));
        var equal = Vector256.Equals(numbers, others) | Vector256.Equals(numbers, swapped);
        equal |=
            Vector256.Equals(numbers, Vector256.Shuffle(others, Vector256.Create(1, 2, 3, 0, 5, 6, 7, 4)))
            | Vector256.Equals(numbers, Vector256.Shuffle(swapped, Vector256.Create(1, 2, 3, 0, 5, 6, 7, 4)));
        equal |=
            Vector256.Equals(numbers, Vector256.Shuffle(others, Vector256.Create(2, 3, 0, 1, 6, 7, 4, 5)))
            | Vector256.Equals(numbers, Vector256.Shuffle(swapped, Vector256.Create(2, 3, 0, 1, 6, 7, 4, 5)));
        equal |=
            Vector256.Equals(numbers, Vector256.Shuffle(others, Vector256.Create(3, 0, 1, 2, 7, 4, 5, 6)))
            | Vector256.Equals(numbers, Vector256.Shuffle(swapped, Vector256.Create(3, 0, 1, 2, 7, 4, 5, 6)));
        return equal.ExtractMostSignificantBits();
    }

    private static void CheckRoom(ReadOnlySpan<int> a, ReadOnlySpan<int> b, ReadOnlySpan<int> c)
    {
        if (Math.Min(a.Length, Math.Min(b.Length, c.Length)) < BlockCodec.Length)
            throw new ArgumentException("There is not room for a block.");
    }

    // Goes forward to the first entry that is not less. Steps are mostly short.
    private void GoTo(ReadOnlySpan<int> entries, int target)
    {
        for (var near = Math.Min(_index + 4, entries.Length); _index < near; _index++)
        {
            if (entries[_index] >= target)
                return;
        }

        var at = entries[_index..].BinarySearch(target);
        _index += at < 0 ? ~at : at;
    }

    // 64 bits from an entry of the block on; the word behind the last is 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Bits(int entry)
    {
        var bit = entry - First;
        var word = _word + (bit >> 6);
        return (word[0] >> bit) | (word[1] << 1 << ~bit);
    }

    private int Rank(int entry)
    {
        var bit = entry - First;
        return _rank[bit >> 6] + BitOperations.PopCount(_word[bit >> 6] & ((1UL << bit) - 1));
    }
}
