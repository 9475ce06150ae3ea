using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <content>Splits.</content>
public sealed unsafe partial class Tree
{
    /// <summary>
    /// Splits a leaf so that a new entry has room, and returns the page and index it goes to. A rising sequence of keys
    /// leaves full pages behind and moves nothing that lies before it; otherwise the halves get about the same number
    /// of bytes.
    /// </summary>
    [SkipLocalsInit]
    private TreePage SplitLeaf(
        PageAccess access,
        int level,
        TreePage left,
        ref int index,
        ReadOnlySpan<byte> key,
        int tail
    )
    {
        var right = Allocate(access, PageType.Leaf);
        if (level == 0)
        {
            left = PushDownRoot(access, left);
            level = 1;
        }

        var count = left.Count;
        var cut = ChooseLeafCut(access, level, left, index, key, tail, out var toRight);

        // The four keys that bound the halves, the new one included.
        var buffers = stackalloc byte[4 * TreePage.KeyBufferSize];
        var newIsLeftLast = !toRight && cut == index;
        var newIsRightFirst = toRight && cut == index;
        var leftLast = newIsLeftLast ? key : CopyKey(left, cut - 1, buffers);
        var rightFirst = newIsRightFirst ? key : CopyKey(left, cut, buffers + TreePage.KeyBufferSize);
        var leftFirst = !toRight && index == 0 ? key : CopyKey(left, 0, buffers + 2 * TreePage.KeyBufferSize);
        var rightLast =
            toRight && index == count ? key : CopyKey(left, count - 1, buffers + 3 * TreePage.KeyBufferSize);

        if (cut == count)
        {
            // The keys to come probably share with the new one what the left page spans.
            right.Reset(PageType.Leaf, key.Slice(0, key.CommonPrefixLength(leftFirst)));
            if (left.IsSequentialInsert(index))
                right.ContinueSequence();
        }
        else
        {
            Distribute(
                left,
                cut,
                leftFirst.Slice(0, leftFirst.CommonPrefixLength(leftLast)),
                right,
                rightFirst.Slice(0, rightFirst.CommonPrefixLength(rightLast))
            );
        }

        // The shortest separator: it ends with the first byte in which the halves differ.
        var separator = rightFirst.Slice(0, leftLast.CommonPrefixLength(rightFirst) + 1);
        InsertChild(access, level - 1, separator, right.PageNumber);

        var target = toRight ? right : left;
        if (toRight)
            index -= cut;
        if (!target.TryMakeRoom(key, tail))
            throw NoRoomAfterSplit(access, target);
        return target;
    }

    private int ChooseLeafCut(
        PageAccess access,
        int level,
        TreePage page,
        int index,
        ReadOnlySpan<byte> key,
        int tail,
        out bool toRight
    )
    {
        var count = page.Count;
        var sharesPrefix = page.HasPrefixOf(key);
        var size = TreePage.EntrySize(key.Length, page.PrefixLength, tail);
        toRight = true;
        if (index == count && (!sharesPrefix || page.IsSequentialInsert(index) || IsLastOfLevel(access, level)))
            return count;
        if (!sharesPrefix)
        {
            toRight = false;
            return 0;
        }

        if (
            page.IsSequentialInsert(index)
            && SizeOf(page, 0, index) + TreePage.PrefixRoom(page.PrefixLength) + size <= TreePage.Capacity
        )
        {
            toRight = false;
            return index;
        }

        var at = BalancedCut(page, 0, index, size);
        toRight = at <= index;
        return toRight ? at : at - 1;
    }

    /// <summary>
    /// Where to cut the entries from <paramref name="first"/> on, the new one at <paramref name="index"/> counted among
    /// them, so that the larger half is smallest.
    /// </summary>
    private static int BalancedCut(TreePage page, int first, int index, int size)
    {
        var count = page.Count;
        var total = SizeOf(page, first, count) + size;
        var before = 0;
        var at = first;
        while (at < count)
        {
            var next =
                at < index ? page.EntrySize(at)
                : at == index ? size
                : page.EntrySize(at - 1);
            if (at > first && Math.Max(before, total - before) <= Math.Max(before + next, total - before - next))
                break;
            before += next;
            at++;
        }

        return at;
    }

    private static int SizeOf(TreePage page, int from, int to)
    {
        var size = 0;
        for (var i = from; i < to; i++)
            size += page.EntrySize(i);
        return size;
    }

    /// <summary>Adds a child behind the one that the path goes through at this level.</summary>
    private void InsertChild(PageAccess access, int level, ReadOnlySpan<byte> separator, long child)
    {
        var page = new TreePage(access.GetWritablePage(_path[level].Page));
        var index = _path[level].Index + 1;
        if (!page.TryMakeRoom(separator, sizeof(long)))
        {
            SplitBranch(access, level, page, index, separator, child);
            return;
        }

        *(long*)page.InsertAt(index, separator, sizeof(long)) = child;
        page.NoteInsert(index);
    }

    [SkipLocalsInit]
    private void SplitBranch(
        PageAccess access,
        int level,
        TreePage left,
        int index,
        ReadOnlySpan<byte> separator,
        long child
    )
    {
        var right = Allocate(access, PageType.Branch);
        if (level == 0)
        {
            left = PushDownRoot(access, left);
            level = 1;
        }

        var count = left.Count;
        var sharesPrefix = left.HasPrefixOf(separator);
        int at;
        if (index == count && (!sharesPrefix || left.IsSequentialInsert(index) || IsLastOfLevel(access, level)))
            at = count;
        else if (!sharesPrefix)
            at = index;
        else
            at = BalancedCut(left, 1, index, TreePage.EntrySize(separator.Length, left.PrefixLength, sizeof(long)));

        // "at" counts the new entry; the separator found there moves up and its child becomes the right page's first.
        var buffer = stackalloc byte[TreePage.KeyBufferSize];
        var newIsFirst = at == index;
        var toRight = at < index;
        var cut = at <= index ? at : at - 1;
        var up = newIsFirst ? separator : CopyKey(left, cut, buffer);

        right.AppendFirstChild(newIsFirst ? child : left.Child(cut));
        SplitSeparators(left, cut, right, newIsFirst ? cut : cut + 1);
        if (!newIsFirst)
        {
            var target = toRight ? right : left;
            var to = toRight ? index - cut : index;
            if (!target.TryMakeRoom(separator, sizeof(long)))
                throw NoRoomAfterSplit(access, target);
            *(long*)target.InsertAt(to, separator, sizeof(long)) = child;
        }

        InsertChild(access, level - 1, up, right.PageNumber);
    }

    /// <summary>
    /// Leaves the first <paramref name="keep"/> entries of a branch in place and appends those from
    /// <paramref name="move"/> on to the right one.
    /// </summary>
    [SkipLocalsInit]
    private static void SplitSeparators(TreePage left, int keep, TreePage right, int move)
    {
        var count = left.Count;
        if (keep == count)
            return;
        var buffers = stackalloc byte[2 * TreePage.KeyBufferSize];
        if (move < count)
        {
            var first = CopyKey(left, move, buffers);
            var last = CopyKey(left, count - 1, buffers + TreePage.KeyBufferSize);
            right.Rebuild(first, first.CommonPrefixLength(last));
            for (var i = move; i < count; i++)
                right.AppendFrom(left, i);
        }

        for (var i = count - 1; i >= keep; i--)
            left.RemoveAt(i);
        if (keep > 1)
        {
            var first = CopyKey(left, 1, buffers);
            var last = CopyKey(left, keep - 1, buffers + TreePage.KeyBufferSize);
            left.Rebuild(first, first.CommonPrefixLength(last));
        }
        else
        {
            left.Rebuild(default, 0);
        }
    }

    [SkipLocalsInit]
    private static void Distribute(
        TreePage left,
        int cut,
        ReadOnlySpan<byte> leftPrefix,
        TreePage right,
        ReadOnlySpan<byte> rightPrefix
    )
    {
        var copy = stackalloc byte[PageLayout.PageSize];
        Unsafe.CopyBlockUnaligned(copy, left.Pointer, PageLayout.PageSize);
        var source = new TreePage(copy);
        var count = source.Count;
        left.Reset(PageType.Leaf, leftPrefix);
        for (var i = 0; i < cut; i++)
            left.AppendFrom(source, i);
        right.Reset(PageType.Leaf, rightPrefix);
        for (var i = cut; i < count; i++)
            right.AppendFrom(source, i);
    }

    /// <summary>
    /// Splits the root, which keeps its page: its content moves to a new page, for now its only child. The path gets a
    /// level.
    /// </summary>
    private TreePage PushDownRoot(PageAccess access, TreePage root)
    {
        if (_state.Depth >= MaxDepth - 1)
            throw access.Corrupt(_state.Root, Name, $"the tree has {_state.Depth} levels");
        var child = new TreePage(access.AllocateRun(1, root.Type, out _));
        PageLayout.TreeTag(child.Pointer) = PageLayout.TreeTag(root.Pointer);
        _state.BranchPages++;
        child.CopyContentFrom(root);
        root.Reset(PageType.Branch, default);
        root.AppendFirstChild(child.PageNumber);
        for (var i = _state.Depth; i > 0; i--)
            _path[i] = _path[i - 1];
        _path[1].Page = child.PageNumber;
        _path[0].Page = _state.Root;
        _path[0].Index = 0;
        _state.Depth++;
        return child;
    }

    private TreePage Allocate(PageAccess access, PageType type)
    {
        var page = new TreePage(access.AllocateRun(1, type, out _));
        PageLayout.TreeTag(page.Pointer) = TreeTag.Of(Name);
        page.Reset(type, default);
        if (type == PageType.Leaf)
            _state.LeafPages++;
        else
            _state.BranchPages++;
        return page;
    }

    /// <summary>Whether no page of its level lies behind the one that the path goes through.</summary>
    private bool IsLastOfLevel(PageAccess access, int level)
    {
        for (var i = 0; i < level; i++)
        {
            if (_path[i].Index + 1 < new TreePage(access.GetPage(_path[i].Page)).Count)
                return false;
        }

        return true;
    }

    private CorruptPageException NoRoomAfterSplit(PageAccess access, TreePage page) =>
        access.Corrupt(page.PageNumber, Name, $"no room after a split: {page.Count} entries, {page.Used} bytes used");

    private static ReadOnlySpan<byte> CopyKey(TreePage page, int index, byte* buffer) =>
        (uint)index < (uint)page.Count ? new ReadOnlySpan<byte>(buffer, page.CopyKey(index, buffer)) : default;
}
