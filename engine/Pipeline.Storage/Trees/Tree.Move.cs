namespace Pipeline.Storage;

/// <content>Moves pages to lower numbers, for compaction.</content>
public sealed unsafe partial class Tree
{
    /// <summary>
    /// Moves those of the tree's pages that lie behind the step's boundary, from a key on: branches on the way, leaves
    /// and their runs. Returns the key to go on from when the step is spent, null when all was seen.
    /// </summary>
    internal byte[]? MoveDown(ReadOnlySpan<byte> key, IPageMover step)
    {
        var access = BeginWrite(key);
        _version++;
        _hint = 0;
        MoveRoot(access, step);
        if (step.OnlyRuns && _state.OverflowPages == 0)
            return null;
        byte[]? next = null;
        var number = _state.Root;
        for (var level = 0; level < MaxDepth; level++)
        {
            var page = new TreePage(access.GetPage(number));
            if (page.IsLeaf)
                return MoveRuns(access, number, key, step);
            if (page.Type != PageType.Branch)
                ThrowNotTree(number, page.Type);
            var child = page.ChildIndex(key);
            if (level == _state.Depth - 2)
                return MoveLeaves(access, number, child, key, step, out var rest) ? rest : next;
            if (child + 1 < page.Count)
                next = KeyAt(page, child + 1);
            number = MoveChild(access, number, child, step);
        }
        throw access.Corrupt(number, Name, $"it lies more than {MaxDepth} levels below the root");
    }

    private void MoveRoot(PageAccess access, IPageMover step)
    {
        var root = _state.Root;
        if (!step.TryMove(root, 1, out var to))
            return;
        if (access.CatalogRoot == root)
            access.CatalogRoot = to;
        _state.Root = to;
    }

    /// <summary>The leaves below a branch, from one on; false when all were seen.</summary>
    private bool MoveLeaves(
        PageAccess access,
        long branch,
        int child,
        ReadOnlySpan<byte> key,
        IPageMover step,
        out byte[]? rest
    )
    {
        var count = new TreePage(access.GetPage(branch)).Count;
        for (var i = child; i < count; i++)
        {
            if (i > child && step.IsSpent)
            {
                rest = KeyAt(new TreePage(access.GetPage(branch)), i);
                return true;
            }
            step.See();
            var leaf = MoveChild(access, branch, i, step);
            if (
                _state.OverflowPages > 0
                && (rest = MoveRuns(access, leaf, i == child ? key : default, step)) is not null
            )
            {
                return true;
            }
        }
        rest = null;
        return false;
    }

    /// <summary>Returns where the child lies then.</summary>
    private static long MoveChild(PageAccess access, long branch, int index, IPageMover step)
    {
        var child = new TreePage(access.GetPage(branch)).Child(index);
        if (!step.TryMove(child, 1, out var to))
            return child;
        new TreePage(access.GetWritablePage(branch)).SetChild(index, to);
        return to;
    }

    /// <summary>The runs of a leaf's values; returns the key to go on from when the step is spent.</summary>
    private static byte[]? MoveRuns(PageAccess access, long leaf, ReadOnlySpan<byte> key, IPageMover step)
    {
        var page = new TreePage(access.GetPage(leaf));
        var first = page.LowerBound(key, 0, out _);
        for (var i = first; i < page.Count; i++)
        {
            if (!page.IsOverflow(i))
                continue;
            var run = page.OverflowRun(i, out var length);
            if (run < step.Boundary)
                continue;
            if (i > first && step.IsSpent)
                return KeyAt(page, i);
            if (!step.TryMove(run, PageLayout.PagesForOverflow(length), out var to))
                continue;
            page = new TreePage(access.GetWritablePage(leaf));
            page.SetOverflowRun(i, to);
        }
        return null;
    }

    private static byte[] KeyAt(TreePage page, int index)
    {
        var buffer = stackalloc byte[TreePage.KeyBufferSize];
        return CopyKey(page, index, buffer).ToArray();
    }
}
