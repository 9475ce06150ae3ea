using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Storage;

/// <content>Search within a page.</content>
internal readonly unsafe partial struct TreePage
{
    private const int CountedSlots = 32;

    /// <summary>Which child of a branch a key belongs to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ChildIndex(ReadOnlySpan<byte> key)
    {
        var index = LowerBound(key, 1, out var found);
        return found ? index : index - 1;
    }

    /// <summary>
    /// The first entry from <paramref name="from"/> on whose key is not less than <paramref name="key"/>; the count if
    /// there is none.
    /// </summary>
    public int LowerBound(ReadOnlySpan<byte> key, int from, out bool found)
    {
        var count = Count;
        found = false;
        if (count <= from)
            return from;
        var order = ComparePrefix(key);
        if (order != 0)
            return order > 0 ? from : count;
        var suffix = key.Slice(PrefixLength);
        var head = Head(suffix);
        var slots = Slots;
        var low = LowerBoundOfHead(slots, from, count, (ulong)head << 32);
        if (low == count || (uint)(slots[low] >> 32) != head)
            return low;
        return LowerBoundAmongEqualHeads(suffix, low, count, head, out found);
    }

    /// <summary>As <see cref="LowerBound"/> in a leaf, for callers that expect the key behind the last one.</summary>
    public int LowerBoundFromEnd(ReadOnlySpan<byte> key, out bool found)
    {
        var count = Count;
        if (count != 0)
        {
            var order = CompareKey(count - 1, key);
            if (order <= 0)
            {
                found = order == 0;
                return found ? count - 1 : count;
            }
        }

        return LowerBound(key, 0, out found);
    }

    /// <summary>
    /// How the key of entry <paramref name="index"/> compares with <paramref name="key"/>: less than 0, 0, greater than
    /// 0.
    /// </summary>
    public int CompareKey(int index, ReadOnlySpan<byte> key)
    {
        var order = ComparePrefix(key);
        if (order != 0)
            return order;
        var suffix = key.Slice(PrefixLength);
        var slot = Slots[index];
        var head = (uint)(slot >> 32);
        var other = Head(suffix);
        return head != other
            ? head < other
                ? -1
                : 1
            : CompareRest(slot, suffix);
    }

    /// <summary>0 where the key begins with the page's prefix; else how all keys of the page compare with it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int ComparePrefix(ReadOnlySpan<byte> key)
    {
        var length = PrefixLength;
        return length == 0 ? 0 : ComparePrefix(key, length);
    }

    private int ComparePrefix(ReadOnlySpan<byte> key, int length)
    {
        var shared = Math.Min(length, key.Length);
        var order = new ReadOnlySpan<byte>(_page + PageLayout.HeaderSize, shared).SequenceCompareTo(
            key.Slice(0, shared)
        );
        return order != 0 ? order
            : length > shared ? 1
            : 0;
    }

    /// <summary>
    /// The first slot in [from, to) whose head is not less. A binary search without branches on the comparisons narrows
    /// it down to
    /// <see cref="CountedSlots"/> slots. Vectors count the smaller heads among these: their loads depend only on the
    /// page.
    /// </summary>
    private static int LowerBoundOfHead(ulong* slots, int from, int to, ulong target)
    {
        var at = slots + from;
        var length = to - from;
        while (length > CountedSlots)
        {
            var half = length >> 1;
            at += at[half - 1] < target ? half : 0;
            length -= half;
        }

        return (int)(at - slots) + CountLess(at, length, target);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CountLess(ulong* at, int length, ulong target)
    {
        var less = 0;
        if (Vector256.IsHardwareAccelerated && length >= Vector256<ulong>.Count)
        {
            var targets = Vector256.Create(target);
            var counts = Vector256<long>.Zero;
            var end = at + length;
            for (; at + Vector256<ulong>.Count <= end; at += Vector256<ulong>.Count)
                counts -= Vector256.LessThan(Vector256.Load(at), targets).AsInt64();

            // The rest again within the last four, so that nothing behind the slots is read.
            var last = Vector256
                .LessThan(Vector256.Load(end - Vector256<ulong>.Count), targets)
                .ExtractMostSignificantBits();
            var rest = (int)(end - at);
            return (int)Vector256.Sum(counts) + BitOperations.PopCount(last >> (Vector256<ulong>.Count - rest));
        }

        for (var i = 0; i < length; i++)
            less += at[i] < target ? 1 : 0;
        return less;
    }

    private int LowerBoundAmongEqualHeads(ReadOnlySpan<byte> suffix, int low, int high, uint head, out bool found)
    {
        // Most heads are unique: the first one decides.
        var slots = Slots;
        var order = CompareRest(slots[low], suffix);
        found = order == 0;
        if (order >= 0)
            return low;
        low++;
        while (low < high)
        {
            var middle = (low + high) >> 1;
            var slot = slots[middle];
            order = (uint)(slot >> 32) != head ? 1 : CompareRest(slot, suffix);
            if (order < 0)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
                found |= order == 0;
            }
        }

        return low;
    }

    /// <summary>
    /// Compares where the heads are equal. A key of up to four bytes is then the start of the other one, or equal but
    /// for its length.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int CompareRest(ulong slot, ReadOnlySpan<byte> suffix)
    {
        var length = SuffixLength(slot);
        return length <= HeadSize || suffix.Length <= HeadSize
            ? length - suffix.Length
            : new ReadOnlySpan<byte>(_page + Offset(slot), length - HeadSize).SequenceCompareTo(suffix.Slice(HeadSize));
    }
}
