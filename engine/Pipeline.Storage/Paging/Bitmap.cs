using System.Numerics;

namespace Pipeline.Storage;

/// <summary>Operations on the bitmaps of the allocation pages; a set bit is a page in use.</summary>
internal static unsafe class Bitmap
{
    private const long Group = PageLayout.PagesPerGroup;

    /// <summary>Sets or clears bits; false, with nothing changed, if one of them already has the new value.</summary>
    public static bool Set(byte* bits, int first, int count, bool used)
    {
        for (var pass = 0; pass < 2; pass++)
        {
            var (bit, left) = (first, count);
            while (left > 0)
            {
                var n = Math.Min(left, 64 - (bit & 63));
                var mask = (n == 64 ? ulong.MaxValue : (1UL << n) - 1) << (bit & 63);
                var word = (ulong*)bits + (bit >> 6);
                if (pass == 0 && (*word & mask) != (used ? 0 : mask))
                    return false;
                if (pass == 1)
                    *word ^= mask;
                bit += n;
                left -= n;
            }
        }
        return true;
    }

    /// <summary>Whether the page is in use.</summary>
    public static bool IsUsed(byte* bits, long pageInGroup) =>
        (bits[pageInGroup >> 3] & (1 << (int)(pageInGroup & 7))) != 0;

    /// <summary>The first free page within [from, to), or -1.</summary>
    public static long FindZero(PageAccess pages, long from, long to)
    {
        while (from < to)
        {
            var group = from / Group;
            var end = Math.Min(to, (group + 1) * Group);
            var words = (ulong*)(Map(pages, group) + PageLayout.HeaderSize);
            var bit = from - (group * Group);
            var last = end - (group * Group);
            while (bit < last)
            {
                var free = ~words[bit >> 6] & (ulong.MaxValue << (int)(bit & 63));
                if (free != 0)
                {
                    var found = (bit & ~63L) + BitOperations.TrailingZeroCount(free);
                    if (found < last)
                        return (group * Group) + found;
                    break;
                }
                bit = (bit & ~63L) + 64;
            }
            from = end;
        }
        return -1;
    }

    /// <summary>
    /// Finds the first run of this many free pages within [from, to), which must lie in one group; -1 if there is none.
    /// </summary>
    public static long FindZeros(PageAccess pages, long from, long to, int count)
    {
        var group = from / Group;
        var words = (ulong*)(Map(pages, group) + PageLayout.HeaderSize);
        var (bit, last) = (from - (group * Group), to - (group * Group));
        while (bit + count <= last)
        {
            var free = ~words[bit >> 6] >> (int)(bit & 63);
            if (free == 0)
            {
                bit = (bit & ~63L) + 64;
                continue;
            }
            bit += BitOperations.TrailingZeroCount(free);
            var run = 0L;
            while (bit + run < last && run < count)
            {
                var used = words[(bit + run) >> 6] >> (int)((bit + run) & 63);
                var step = used == 0 ? 64 - ((bit + run) & 63) : BitOperations.TrailingZeroCount(used);
                run += step;
                if (used != 0)
                    break;
            }
            if (Math.Min(run, last - bit) >= count)
                return (group * Group) + bit;
            bit += run + 1;
        }
        return -1;
    }

    /// <summary>The last page in use within [from, to), which must lie in one group, or -1.</summary>
    public static long FindLastOne(PageAccess pages, long from, long to)
    {
        var group = from / Group;
        var words = (ulong*)(Map(pages, group) + PageLayout.HeaderSize);
        var (first, bit) = (from - (group * Group), to - (group * Group) - 1);
        while (bit >= first)
        {
            var used = words[bit >> 6] & (ulong.MaxValue >> (63 - (int)(bit & 63)));
            if (used != 0)
            {
                var found = (bit & ~63L) + 63 - BitOperations.LeadingZeroCount(used);
                return found < first ? -1 : (group * Group) + found;
            }
            bit = (bit & ~63L) - 1;
        }
        return -1;
    }

    private static byte* Map(PageAccess pages, long group)
    {
        var number = (group * Group) + PageLayout.AllocationPageInGroup;
        var map = pages.GetPage(number);
        if (PageLayout.Type(map) != PageType.Allocation)
            throw pages.Corrupt(number, null, "it is not an allocation page");
        return map;
    }
}
