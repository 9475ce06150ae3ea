namespace Pipeline.Storage;

/// <summary>A branch's child, or a root, that could not be read.</summary>
/// <param name="Page">Its number.</param>
/// <param name="Reason">Why not.</param>
/// <param name="Range">The keys that lay behind it.</param>
internal sealed record LeafGap(long Page, string Reason, KeyRange Range);

/// <summary>A leaf that was reached, and the keys that its parents leave to it.</summary>
internal readonly record struct FoundLeaf(long Number, KeyRange Range)
{
    /// <summary>The page; decrypted again if it was forgotten.</summary>
    public unsafe TreePage Page(PageAccess pages) => new(pages.GetPage(Number));
}

/// <summary>
/// Walks a tree in key order and continues past damaged pages. It uses only sound pages, each once, so it ends on any
/// bytes.
/// </summary>
/// <param name="pages">The pages, which are forgotten on the way: no pointer to one outlives a walk.</param>
/// <param name="seen">Pages that were visited before.</param>
/// <param name="visit">Takes each leaf, in key order; if null, leaves are gathered in <see cref="Leaves"/>.</param>
internal sealed unsafe class LeafWalk(PageAccess pages, HashSet<long> seen, Action<FoundLeaf>? visit = null)
{
    /// <summary>Leaves met, in key order.</summary>
    public List<FoundLeaf> Leaves { get; } = [];

    /// <summary>Keys that could not be read, in key order.</summary>
    public List<LeafGap> Gaps { get; } = [];

    /// <summary>Walks the subtree of a page.</summary>
    public void Walk(long number, KeyRange range, CancellationToken ct, int level = 0)
    {
        ct.ThrowIfCancellationRequested();
        if (level >= Tree.MaxDepth || !seen.Add(number))
        {
            Gaps.Add(new LeafGap(number, level >= Tree.MaxDepth ? "it lies too deep" : "it is reached twice", range));
            return;
        }
        TreePage page;
        string reason;
        try
        {
            page = new TreePage(pages.GetPage(number));
            if (!TreePageCheck.IsSound(page, number, out reason) || (!page.IsLeaf && page.Count == 0))
            {
                Gaps.Add(new LeafGap(number, reason.Length == 0 ? "a branch without children" : reason, range));
                return;
            }
        }
        catch (CorruptPageException e)
        {
            Gaps.Add(new LeafGap(number, e.Reason, range));
            return;
        }
        if (page.IsLeaf)
        {
            if (visit is null)
                Leaves.Add(new FoundLeaf(number, range));
            else
                visit(new FoundLeaf(number, range));
            return;
        }
        var from = range.From;
        for (var (i, count) = (0, page.Count); i < count; i++)
        {
            var to = i + 1 < count ? KeyOf(page, i + 1) : range.Before;
            Walk(page.Child(i), new KeyRange(from, to), ct, level + 1);
            from = to;
            pages.Forget();
            page = new TreePage(pages.GetPage(number));
        }
    }

    /// <summary>The key of an entry.</summary>
    public static byte[] KeyOf(TreePage page, int index)
    {
        var buffer = stackalloc byte[TreePage.KeyBufferSize];
        return new ReadOnlySpan<byte>(buffer, page.CopyKey(index, buffer)).ToArray();
    }

    /// <summary>The value of a leaf's entry; false, with the reason, where its run is damaged.</summary>
    public static bool TryValue(
        PageAccess pages,
        TreePage leaf,
        int index,
        out ReadOnlySpan<byte> value,
        out long run,
        out string reason
    )
    {
        reason = "";
        run = 0;
        if (!leaf.IsOverflow(index))
        {
            value = Tree.ValueAt(pages, leaf, index);
            return true;
        }
        value = default;
        run = leaf.OverflowRun(index, out var length);
        try
        {
            var first = pages.GetPage(run);
            if (PageLayout.Type(first) == PageType.Overflow && PageLayout.Overflow(first) == length)
            {
                value = new ReadOnlySpan<byte>(first + PageLayout.HeaderSize, length);
                return true;
            }
            reason =
                $"it must begin a run of {length} bytes; type {(int)PageLayout.Type(first)}, {PageLayout.Overflow(first)} bytes were found";
        }
        catch (CorruptPageException e)
        {
            reason = e.Reason;
        }
        return false;
    }
}
