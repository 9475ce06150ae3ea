namespace Pipeline.Storage;

/// <content>Positioning and the steps from leaf to leaf.</content>
public sealed unsafe partial class TreeCursor
{
    /// <summary>Goes to the first key.</summary>
    /// <returns><see langword="false"/> where the tree is empty.</returns>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    /// <exception cref="CorruptPageException">A page on the way is damaged.</exception>
    public bool SeekFirst()
    {
        var access = Begin(out var tree);
        return DescendToEdge(access, tree, tree.State.Root, 0, toLast: false);
    }

    /// <summary>Goes to the last key.</summary>
    /// <returns><see langword="false"/> where the tree is empty.</returns>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    /// <exception cref="CorruptPageException">A page on the way is damaged.</exception>
    public bool SeekLast()
    {
        var access = Begin(out var tree);
        return DescendToEdge(access, tree, tree.State.Root, 0, toLast: true);
    }

    /// <summary>Goes to the first key that is not less than the given one.</summary>
    /// <param name="key">The key, up to 1,024 bytes.</param>
    /// <returns><see langword="false"/> where all keys are less.</returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    /// <exception cref="CorruptPageException">A page on the way is damaged.</exception>
    public bool Seek(ReadOnlySpan<byte> key)
    {
        var index = SeekLeaf(key);
        if (index < _count)
        {
            _index = index;
            return true;
        }

        _index = _count - 1;
        return MoveToNextLeaf();
    }

    /// <summary>Goes to the last key that is less than the given one.</summary>
    /// <param name="key">The key, up to 1,024 bytes.</param>
    /// <returns><see langword="false"/> if no key is less.</returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="ObjectDisposedException">The transaction has ended.</exception>
    /// <exception cref="CorruptPageException">A page on the way is damaged.</exception>
    public bool SeekBefore(ReadOnlySpan<byte> key)
    {
        _index = SeekLeaf(key) - 1;
        return _index >= 0 || MoveToPreviousLeaf();
    }

    private PageAccess Begin(out Tree tree)
    {
        ObjectDisposedException.ThrowIf(_tree is null, this);
        tree = _tree;
        Forget();
        _version = tree.Version;
        return tree.Access;
    }

    /// <summary>Finds the leaf a key belongs to and the first index there whose key is not less.</summary>
    private int SeekLeaf(ReadOnlySpan<byte> key)
    {
        var access = Begin(out var tree);
        if (key.Length > TreePage.MaxKeyLength)
            throw new KeyTooLargeException(key.Length, TreePage.MaxKeyLength);
        var number = tree.State.Root;
        for (var level = 0; level < Tree.MaxDepth; level++)
        {
            var page = new TreePage(access.GetPage(number));
            if (page.IsLeaf)
            {
                Enter(page, level);
                return page.LowerBound(key, 0, out _);
            }

            if (page.Type != PageType.Branch)
                tree.ThrowNotTree(number, page.Type);
            ref var step = ref _path[level];
            step.Page = page.Pointer;
            step.Index = page.ChildIndex(key);
            number = page.Child(step.Index);
        }

        throw access.Corrupt(number, tree.Name, $"it lies more than {Tree.MaxDepth} levels below the root");
    }

    private bool DescendToEdge(PageAccess access, Tree tree, long number, int level, bool toLast)
    {
        for (; level < Tree.MaxDepth; level++)
        {
            var page = new TreePage(access.GetPage(number));
            if (page.IsLeaf)
            {
                Enter(page, level);
                _index = toLast ? _count - 1 : 0;
                return _count != 0;
            }

            if (page.Type != PageType.Branch)
                tree.ThrowNotTree(number, page.Type);
            ref var step = ref _path[level];
            step.Page = page.Pointer;
            step.Index = toLast ? page.Count - 1 : 0;
            number = page.Child(step.Index);
        }

        throw access.Corrupt(number, tree.Name, $"it lies more than {Tree.MaxDepth} levels below the root");
    }

    private void Enter(TreePage leaf, int level)
    {
        _leaf = leaf;
        _level = level;
        _count = leaf.Count;
    }

    private bool MoveToNextLeaf()
    {
        if (_count == 0)
            return false;
        var tree = _tree!;
        for (var level = _level - 1; level >= 0; level--)
        {
            ref var step = ref _path[level];
            var page = new TreePage(step.Page);
            if (step.Index + 1 >= page.Count)
                continue;
            step.Index++;
            var access = tree.Access;
            if (level == _level - 1 && step.Index + 1 < page.Count)
                new TreePage(access.GetPage(page.Child(step.Index + 1))).PrefetchForScan(fromEnd: false);
            return DescendToEdge(access, tree, page.Child(step.Index), level + 1, toLast: false);
        }

        Forget();
        return false;
    }

    private bool MoveToPreviousLeaf()
    {
        if (_count == 0)
            return false;
        var tree = _tree!;
        for (var level = _level - 1; level >= 0; level--)
        {
            ref var step = ref _path[level];
            if (step.Index == 0)
                continue;
            step.Index--;
            var page = new TreePage(step.Page);
            var access = tree.Access;
            if (level == _level - 1 && step.Index > 0)
                new TreePage(access.GetPage(page.Child(step.Index - 1))).PrefetchForScan(fromEnd: true);
            return DescendToEdge(access, tree, page.Child(step.Index), level + 1, toLast: true);
        }

        Forget();
        return false;
    }
}
