namespace Pipeline.Storage;

/// <summary>
/// Sound tree pages in use that no walk reached because a page above them is damaged. Free pages keep their former
/// content, so a page counts only if a sound allocation page says that it is in use.
/// </summary>
internal sealed unsafe class OrphanPages
{
    private readonly Dictionary<ushort, List<long>> _byTag = [];

    /// <summary>Sound leaves that may or may not be in use.</summary>
    public List<long> Uncertain { get; } = [];

    /// <summary>The tags of the pages; 0 is none.</summary>
    public IEnumerable<ushort> Tags => _byTag.Keys;

    /// <summary>Looks through all pages that are not seen.</summary>
    public static OrphanPages Find(
        OfflinePages pages,
        HashSet<long> seen,
        IProgress<long>? progress,
        CancellationToken ct
    )
    {
        var found = new OrphanPages();
        var count = pages.State.PageCount;
        var map = new byte[PageLayout.BodySize];
        var known = false;
        for (var number = 0L; number < count; number++)
        {
            var inGroup = number % PageLayout.PagesPerGroup;
            if (inGroup == 0)
                known = TryMap(pages, number + PageLayout.AllocationPageInGroup, map);
            if ((number & 4095) == 0)
            {
                pages.Forget();
                ct.ThrowIfCancellationRequested();
                progress?.Report(number);
            }
            if (
                number < 2
                || inGroup == PageLayout.AllocationPageInGroup
                || seen.Contains(number)
                || (known && (map[inGroup >> 3] & (1 << (int)(inGroup & 7))) == 0)
            )
            {
                continue;
            }

            if (TryGet(pages, number) is not { } page)
                continue;
            if (page.Type == PageType.Overflow)
                number += PageLayout.PagesForOverflow(PageLayout.Overflow(page.Pointer)) - 1;
            else if (!known)
                found.AddUncertain(page, number);
            else if (TreePageCheck.IsSound(page, number, out _) && page.Count > 0)
                found.Add(PageLayout.TreeTag(page.Pointer), number);
        }
        return found;
    }

    /// <summary>
    /// The unseen pages with a tag that are not a child of another such page; the walks continue below them.
    /// </summary>
    public List<long> RootsOf(ushort tag, OfflinePages pages, HashSet<long> seen)
    {
        if (!_byTag.TryGetValue(tag, out var numbers))
            return [];
        var children = new HashSet<long>();
        foreach (var number in numbers)
        {
            if (seen.Contains(number))
                continue;
            var page = new TreePage(pages.GetPage(number));
            for (var i = 0; !page.IsLeaf && i < page.Count; i++)
                children.Add(page.Child(i));
            pages.Forget();
        }
        return [.. numbers.Where(n => !seen.Contains(n) && !children.Contains(n))];
    }

    private void AddUncertain(TreePage page, long number)
    {
        if (page.IsLeaf && page.Count > 0 && TreePageCheck.IsSound(page, number, out _))
            Uncertain.Add(number);
    }

    private void Add(ushort tag, long number)
    {
        if (!_byTag.TryGetValue(tag, out var numbers))
            _byTag.Add(tag, numbers = []);
        numbers.Add(number);
    }

    private static bool TryMap(OfflinePages pages, long number, byte[] bits)
    {
        try
        {
            var map = number < pages.State.PageCount ? pages.GetPage(number) : null;
            if (map == null || PageLayout.Type(map) != PageType.Allocation)
                return false;
            new ReadOnlySpan<byte>(map + PageLayout.HeaderSize, bits.Length).CopyTo(bits);
            return true;
        }
        catch (CorruptPageException)
        {
            return false;
        }
    }

    private static TreePage? TryGet(OfflinePages pages, long number)
    {
        try
        {
            var page = new TreePage(pages.GetPage(number));
            return page.Type is PageType.Leaf or PageType.Branch or PageType.Overflow ? page : null;
        }
        catch (CorruptPageException)
        {
            // Reported where something refers to it.
            return null;
        }
    }
}
