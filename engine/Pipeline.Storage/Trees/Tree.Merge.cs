using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <content>Cleanup after a removal: empty pages are freed, small ones merged with a neighbour.</content>
public sealed unsafe partial class Tree
{
    /// <summary>A page that uses less than this looks for a neighbour to merge with.</summary>
    private const int MergeBelow = TreePage.Capacity / 3;

    /// <summary>
    /// Neighbours are merged if this much of a page stays free, so that the next put does not split it again.
    /// </summary>
    private const int MergedAtMost = TreePage.Capacity - TreePage.Capacity / 8;

    private void AfterRemoval(PageAccess access, int level, TreePage page)
    {
        if (level == 0)
        {
            CollapseRoot(access, page);
            return;
        }

        if (page.Count == 0)
        {
            Free(access, page);
            RemoveChild(access, level - 1);
            return;
        }

        if (page.Used >= MergeBelow)
            return;
        ref var step = ref _path[level - 1];
        var parent = new TreePage(access.GetPage(step.Page));
        var index = step.Index;
        if (index + 1 < parent.Count && TryMerge(access, parent, index, index + 1))
        {
            step.Index = index + 1;
            RemoveChild(access, level - 1);
        }
        else if (index > 0 && TryMerge(access, parent, index - 1, index))
        {
            RemoveChild(access, level - 1);
        }
    }

    /// <summary>Takes the child that the path goes through, already freed, out of its parent.</summary>
    private void RemoveChild(PageAccess access, int level)
    {
        _hint = 0;
        var page = new TreePage(access.GetWritablePage(_path[level].Page));
        var index = _path[level].Index;
        page.RemoveAt(index);
        if (index == 0 && page.Count != 0)
            page.ForgetFirstSeparator();
        AfterRemoval(access, level, page);
    }

    /// <summary>
    /// A root with one child takes over the child's content; a root branch without any becomes an empty leaf.
    /// </summary>
    private void CollapseRoot(PageAccess access, TreePage root)
    {
        while (root.Type == PageType.Branch && root.Count <= 1)
        {
            if (root.Count == 0)
            {
                root.Reset(PageType.Leaf, default);
                _state.Depth = 1;
                _state.BranchPages--;
                _state.LeafPages++;
                return;
            }

            var number = root.Child(0);
            var child = new TreePage(access.GetPage(number));
            if (child.Type is not (PageType.Branch or PageType.Leaf))
                ThrowNotTree(number, child.Type);
            root.CopyContentFrom(child);
            _state.Depth--;

            // The root's page takes the child's place in the figures: the former root branch is what went.
            _state.BranchPages--;
            access.FreeRun(number, 1);
        }
    }

    /// <summary>Moves the entries of the right child to the left one and frees it, where both fit.</summary>
    [SkipLocalsInit]
    private bool TryMerge(PageAccess access, TreePage parent, int leftIndex, int rightIndex)
    {
        var leftNumber = parent.Child(leftIndex);
        var left = new TreePage(access.GetPage(leftNumber));
        var right = new TreePage(access.GetPage(parent.Child(rightIndex)));
        if (left.Type != right.Type || (!left.IsLeaf && left.Type != PageType.Branch))
            ThrowNotTree(right.PageNumber, right.Type);

        // A quick answer for most: together they rarely get smaller by more than one prefix.
        if (left.Used + right.Used - Math.Min(left.PrefixLength, right.PrefixLength) > MergedAtMost)
            return false;
        var isLeaf = left.IsLeaf;
        var first = isLeaf ? 0 : 1;
        var buffers = stackalloc byte[3 * TreePage.KeyBufferSize];
        var between = CopyKey(parent, rightIndex, buffers);
        var low = left.Count > first ? CopyKey(left, first, buffers + TreePage.KeyBufferSize) : between;
        var high =
            right.Count > first ? CopyKey(right, right.Count - 1, buffers + 2 * TreePage.KeyBufferSize) : between;
        var prefix = low.CommonPrefixLength(high);
        var size = left.UsedWithPrefix(prefix) + right.UsedWithPrefix(prefix) - TreePage.PrefixRoom(prefix);
        if (!isLeaf)
            size += TreePage.EntrySize(between.Length, prefix, 0) - TreePage.EntrySize(0, 0, 0);
        if (size > MergedAtMost)
            return false;

        left = new TreePage(access.GetWritablePage(leftNumber));
        left.Rebuild(low, prefix);
        if (!isLeaf)
            left.AppendChild(between, right.Child(0));
        var count = right.Count;
        for (var i = first; i < count; i++)
            left.AppendFrom(right, i);
        Free(access, right);
        return true;
    }

    private void Free(PageAccess access, TreePage page)
    {
        if (page.IsLeaf)
            _state.LeafPages--;
        else
            _state.BranchPages--;
        access.FreeRun(page.PageNumber, 1);
    }
}
