using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <summary>
/// An ordered map from byte keys to byte values within one transaction: a B+tree whose keys compare as unsigned bytes,
/// a shorter key before the longer ones that it begins.
/// </summary>
/// <remarks>
/// <para>
/// Not thread-safe. Lives until its transaction ends; any use after that throws <see cref="ObjectDisposedException"/>.
/// Reading allocates nothing. Keys have 0 to 1,024 bytes, values up to 2 GiB as far as the transaction's limit allows;
/// those over 2,032 bytes lie outside the tree's leaves, in one piece.
/// </para>
/// <para>
/// Spans that a tree or cursor returns point into the snapshot. In a read transaction they are valid until it ends, in
/// a write transaction until the next write to the same tree.
/// </para>
/// <para>
/// The page layout follows known designs: Bayer and Unterauer, "Prefix B-trees" (1977) for shared prefixes and shortest
/// separators; Lehman's, Graefe's and later work for the first key bytes in the slot ("poor man's normalized keys").
/// </para>
/// </remarks>
public sealed unsafe partial class Tree
{
    internal const int MaxDepth = 32;

    private PageAccess? _access;
    private TreeState _state;

    /// <summary>
    /// Changes with every write and with the transaction's end, so that a cursor knows that its position is stale.
    /// </summary>
    private int _version;

    internal Tree(PageAccess access, string name, TreeState state)
    {
        _access = access;
        Name = name;
        _state = state;
        Saved = state;
    }

    /// <summary>The tree's name.</summary>
    public string Name { get; }

    /// <summary>The number of keys.</summary>
    public long Count => _state.Count;

    /// <summary>Levels from the root to the leaves: 1 where the root is a leaf.</summary>
    public int Depth => _state.Depth;

    /// <summary>Pages that hold the tree's keys and small values.</summary>
    public long LeafPages => _state.LeafPages;

    /// <summary>Pages that lead to the leaves.</summary>
    public long BranchPages => _state.BranchPages;

    /// <summary>Pages of large values.</summary>
    public long OverflowPages => _state.OverflowPages;

    internal TreeState State => _state;

    /// <summary>The state as the catalog has it.</summary>
    internal TreeState Saved { get; set; }

    internal int Version => _version;

    internal PageAccess Access
    {
        get
        {
            if (_access is null)
                ThrowClosed();
            return _access;
        }
    }

    /// <summary>Finds a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">Its value, within the snapshot; empty where the key is missing.</param>
    /// <returns>Whether the key exists.</returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="CorruptPageException">A page on the way is damaged.</exception>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        var access = Access;
        if (key.Length > TreePage.MaxKeyLength)
            ThrowKeyTooLarge(key.Length);
        return access.IsWritable ? TryGetAndStay(access, key, out value) : TryGet(access, key, out value);
    }

    private bool TryGet(PageAccess access, ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        var number = _state.Root;
        for (var level = 0; level < MaxDepth; level++)
        {
            var page = new TreePage(access.GetPage(number)).Prefetch();
            if (page.IsLeaf)
            {
                var index = page.LowerBound(key, 0, out var found);
                if (!found)
                {
                    value = default;
                    return false;
                }

                page.PrefetchEntry(index);
                value = ValueAt(access, page, index);
                return true;
            }

            if (page.Type != PageType.Branch)
                ThrowNotTree(number, page.Type);
            number = page.Child(page.ChildIndex(key));
        }

        throw access.Corrupt(number, Name, $"it lies more than {MaxDepth} levels below the root");
    }

    /// <summary>Whether the key exists.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    public bool Contains(ReadOnlySpan<byte> key) => TryGet(key, out _);

    /// <summary>A cursor over the tree, on no entry yet. Dispose it, so that its memory is used again.</summary>
    public TreeCursor OpenCursor()
    {
        _ = Access;
        return new TreeCursor(this);
    }

    /// <summary>Ends the tree's life with its transaction, or because it was dropped.</summary>
    internal void Close()
    {
        _access = null;
        _version++;
        _hint = 0;
    }

    /// <summary>
    /// Takes the tree's snapshot away until <see cref="Resume"/>: places of cursors become stale, use throws.
    /// </summary>
    internal void Suspend()
    {
        _access = null;
        _version++;
    }

    /// <summary>Goes on with a snapshot, in which the tree is as <paramref name="state"/> says.</summary>
    internal void Resume(PageAccess access, in TreeState state)
    {
        _access = access;
        _state = state;
        Saved = state;
        _version++;
    }

    internal static ReadOnlySpan<byte> ValueAt(PageAccess access, TreePage page, int index)
    {
        if (!page.IsOverflow(index))
        {
            var payload = page.Payload(index, out var length);
            return new ReadOnlySpan<byte>(payload, length);
        }

        var run = page.OverflowRun(index, out var bytes);
        return new ReadOnlySpan<byte>(access.GetPage(run) + PageLayout.HeaderSize, bytes);
    }

    [DoesNotReturn]
    internal void ThrowNotTree(long number, PageType type) =>
        throw Access.Corrupt(number, Name, $"a branch or leaf page is expected there, its type is {(int)type}");

    [DoesNotReturn]
    private void ThrowClosed() =>
        throw new ObjectDisposedException(
            $"tree '{Name}'",
            "The tree's transaction has ended or released its snapshot, or the tree was dropped."
        );

    [DoesNotReturn]
    private static void ThrowKeyTooLarge(int length) => throw new KeyTooLargeException(length, TreePage.MaxKeyLength);
}
