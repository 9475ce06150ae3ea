namespace Pipeline.Storage;

/// <summary>
/// Brings all pages in use under the newest key, a bounded part in each write transaction. It walks the trees by key.
/// Whatever other transactions do in between, a leaf that it skipped is under the newest key or was changed since.
/// </summary>
internal static unsafe class TreePageWalk
{
    private const long BytesAtOnce = 4 << 20;
    private const int LeavesAtOnce = 512;

    /// <summary>
    /// Where the walk continues: the allocation pages, the catalog from a key on, or a tree from a key on.
    /// </summary>
    internal sealed record Position(bool Begun, byte[]? Tree, byte[] Key);

    /// <summary>Where it begins.</summary>
    public static Position Start { get; } = new(false, null, []);

    /// <summary>
    /// Goes on from a position; returns the next one, null at the end, and the bytes that had to be copied.
    /// </summary>
    public static (Position? Next, long Bytes) Step(WriteTransaction transaction, Position position, byte generation)
    {
        var pages = transaction.Writer;
        var (bytes, leaves) = (0L, 0);
        if (!position.Begun)
        {
            for (var map = PageLayout.AllocationPageInGroup; map < pages.PageCount; map += PageLayout.PagesPerGroup)
                bytes += pages.Reencrypt(map, generation);
            position = position with { Begun = true };
        }
        while (pages.CatalogRoot != 0)
        {
            var root = pages.CatalogRoot;
            if (position.Tree is not null && !TryFindTree(transaction, ref position, out root))
                break;
            while (bytes < BytesAtOnce && leaves++ < LeavesAtOnce)
            {
                var next = Leaf(pages, root, position.Key, generation, ref bytes);
                if (next is null)
                {
                    // The next tree is the first whose name is not less than this one's with a zero behind it.
                    position = new Position(true, position.Tree is null ? [] : [.. position.Tree, 0], []);
                    root = 0;
                    break;
                }
                position = position with { Key = next };
            }
            if (root != 0)
                return (position, bytes);
        }
        return (null, bytes);
    }

    /// <summary>
    /// Moves the position to the first tree at or after its name, and finds that tree's root.
    /// </summary>
    public static bool TryFindTree(WriteTransaction transaction, ref Position position, out long root)
    {
        root = 0;
        if (position.Tree!.Length > TreePage.MaxKeyLength)
            return false;
        using var cursor = transaction.Catalog.Catalog()!.OpenCursor();
        if (!cursor.Seek(position.Tree!))
            return false;
        if (!cursor.Key.SequenceEqual(position.Tree))
            position = new Position(true, cursor.Key.ToArray(), []);
        if (!TreeState.TryRead(cursor.Value, out var state))
            return false;
        root = state.Root;
        return true;
    }

    /// <summary>
    /// One leaf with the branches that lead to it and its runs; returns the key at which the next one (or the rest of
    /// this one) begins, null behind the last.
    /// </summary>
    private static byte[]? Leaf(WriterPages pages, long number, byte[] key, byte generation, ref long bytes)
    {
        byte[]? next = null;
        for (var level = 0; level < Tree.MaxDepth; level++)
        {
            bytes += pages.Reencrypt(number, generation);
            var page = new TreePage(pages.GetPage(number));
            if (page.IsLeaf)
            {
                for (var i = page.LowerBound(key, 0, out _); i < page.Count; i++)
                {
                    if (bytes >= BytesAtOnce)
                        return KeyAt(page, i);
                    if (page.IsOverflow(i))
                        bytes += pages.Reencrypt(page.OverflowRun(i, out _), generation);
                }
                return next;
            }
            if (page.Type != PageType.Branch)
            {
                throw pages.Corrupt(
                    number,
                    null,
                    $"a branch or leaf page is expected there, its type is {(int)page.Type}"
                );
            }

            var child = page.ChildIndex(key);
            if (child + 1 < page.Count)
                next = KeyAt(page, child + 1);
            number = page.Child(child);
        }
        throw pages.Corrupt(number, null, $"it lies more than {Tree.MaxDepth} levels below the root");
    }

    private static byte[] KeyAt(TreePage page, int index)
    {
        var buffer = stackalloc byte[TreePage.KeyBufferSize];
        return new ReadOnlySpan<byte>(buffer, page.CopyKey(index, buffer)).ToArray();
    }
}
