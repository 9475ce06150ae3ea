namespace Pipeline.Storage;

/// <summary>
/// Checks that a page can be read as a tree page at all: every length and offset lies where it may. Keys' order is the
/// walk's matter.
/// </summary>
internal static unsafe class TreePageCheck
{
    /// <summary>Whether the page's layout is sound; if not, why.</summary>
    public static bool IsSound(TreePage page, long number, out string reason)
    {
        var at = page.Pointer;
        int count = PageLayout.Count(at);
        int lower = PageLayout.Lower(at);
        int upper = PageLayout.Upper(at);
        int prefix = PageLayout.Prefix(at);
        var isLeaf = page.Type == PageType.Leaf;
        reason = "";
        if (!isLeaf && page.Type != PageType.Branch)
        {
            reason = $"a branch or leaf page is expected, its type is {(int)page.Type}";
        }
        else if (page.PageNumber != number)
        {
            reason = $"its header names page {page.PageNumber}";
        }
        else if (
            prefix > TreePage.MaxKeyLength
            || lower != PageLayout.HeaderSize + TreePage.PrefixRoom(prefix) + (8 * count)
            || upper < lower
            || upper > PageLayout.PageSize
        )
        {
            reason =
                $"its header does not fit together: {count} entries, slots to {lower}, entries from {upper}, prefix of {prefix}";
        }
        else
        {
            reason = CheckEntries(page, count, lower - (8 * count), upper, isLeaf);
        }

        return reason.Length == 0;
    }

    private static string CheckEntries(TreePage page, int count, int slotsAt, int upper, bool isLeaf)
    {
        var slots = (ulong*)(page.Pointer + slotsAt);
        const int end = PageLayout.PageSize;
        var live = 0;
        Span<ulong> taken = stackalloc ulong[PageLayout.PageSize / 64];
        taken.Clear();
        for (var i = 0; i < count; i++)
        {
            var offset = (int)(ushort)slots[i];
            var field = (int)(slots[i] >> 16) & 0xFFFF;
            var length = field & 0x7FF;
            var rest = Math.Max(0, length - 4);
            var tail = isLeaf ? sizeof(ushort) : sizeof(long);
            if (offset < upper || offset + rest + tail > end || (field & ~0x87FF) != 0)
                return $"entry {i} does not lie within the page: offset {offset}, key of {length}, flags {field & ~0x7FF:X4}";
            if (isLeaf)
            {
                int payload = *(ushort*)(page.Pointer + offset + rest);
                if (offset + rest + tail + payload > end)
                    return $"the value of entry {i} ({payload} bytes at {offset}) goes beyond the entries";
                if (page.IsOverflow(i) && payload != TreePage.OverflowReferenceSize)
                    return $"entry {i} refers to a run with {payload} bytes";
                tail += payload;
            }

            if (!Take(taken, offset, rest + tail))
                return $"entry {i} at {offset} lies over another one";
            live += rest + tail;
        }

        return live + page.Dead == end - upper
            ? ""
            : $"{end - upper} bytes of entries are {live} in use and {page.Dead} dead";
    }

    private static bool Take(Span<ulong> taken, int from, int length)
    {
        for (var i = from; i < from + length; i++)
        {
            var bit = 1UL << (i & 63);
            if ((taken[i >> 6] & bit) != 0)
                return false;
            taken[i >> 6] |= bit;
        }

        return true;
    }
}
