using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <content>Put, reserve, delete.</content>
public sealed unsafe partial class Tree
{
    private PathStep[] _path = [];

    /// <summary>
    /// The leaf of the last put, which the next one often belongs to; 0 for none. The path to it is kept too.
    /// </summary>
    private long _hint;
    private int _hintLevel;
    private bool _hintIsFirst;

    /// <summary>The branch entry that bounds the hinted leaf from above; null if it is the last leaf.</summary>
    private byte* _fencePage;
    private int _fenceIndex;

    /// <summary>Sets the value of a key, new or not.</summary>
    /// <param name="key">The key, up to 1,024 bytes.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether the key is new.</returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="InvalidOperationException">The transaction is a reader.</exception>
    /// <exception cref="TransactionTooLargeException">The transaction reached its limit.</exception>
    public bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var access = BeginWrite(key);
        access.IsChanging = true;
        fixed (byte* from = value)
        {
            var to = Upsert(access, key, from, value.Length, out var isNew);
            if (to != null)
                Unsafe.CopyBlockUnaligned(to, from, (uint)value.Length);
            access.IsChanging = false;
            return isNew;
        }
    }

    /// <summary>
    /// Sets the value of a key, new or not, to <paramref name="length"/> bytes that the caller writes then.
    /// </summary>
    /// <param name="key">The key, up to 1,024 bytes.</param>
    /// <param name="length">The value's length.</param>
    /// <returns>
    /// Where to write the value, all of it: what lies there is undefined. Valid until the next write to this tree.
    /// </returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="InvalidOperationException">The transaction is a reader.</exception>
    /// <exception cref="TransactionTooLargeException">The transaction reached its limit.</exception>
    public Span<byte> Reserve(ReadOnlySpan<byte> key, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        var access = BeginWrite(key);
        access.IsChanging = true;
        var value = Reserve(access, key, length);
        access.IsChanging = false;
        return value;
    }

    /// <summary>Removes a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether it was there.</returns>
    /// <exception cref="KeyTooLargeException">The key is over 1,024 bytes.</exception>
    /// <exception cref="InvalidOperationException">The transaction is a reader.</exception>
    public bool Delete(ReadOnlySpan<byte> key)
    {
        var access = BeginWrite(key);
        access.IsChanging = true;
        var found = Delete(access, key);
        access.IsChanging = false;
        return found;
    }

    /// <summary>As <see cref="Reserve(ReadOnlySpan{byte}, int)"/>, within a change.</summary>
    internal Span<byte> Reserve(PageAccess access, ReadOnlySpan<byte> key, int length) =>
        new(Upsert(access, key, null, length, out _), length);

    /// <summary>As <see cref="Delete(ReadOnlySpan{byte})"/>, within a change.</summary>
    internal bool Delete(PageAccess access, ReadOnlySpan<byte> key)
    {
        var leaf = Locate(access, key, out var level, out var index, out var found);
        if (!found)
            return false;
        _version++;
        var page = new TreePage(access.GetWritablePage(leaf.PageNumber));
        if (page.IsOverflow(index))
            FreeOverflow(access, page.OverflowRun(index, out var length), length);
        page.RemoveAt(index);
        _state.Count--;
        AfterRemoval(access, level, page);
        return true;
    }

    /// <summary>Frees all pages of the tree and ends its life, within a change.</summary>
    internal void Drop()
    {
        var access = Access;
        FreeSubtree(access, _state.Root, 0);
        Close();
    }

    private bool Put(PageAccess access, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        fixed (byte* from = value)
        {
            var to = Upsert(access, key, from, value.Length, out var isNew);
            if (to != null)
                Unsafe.CopyBlockUnaligned(to, from, (uint)value.Length);
            return isNew;
        }
    }

    /// <summary>
    /// Makes the entry and returns where its value goes; null where the value was put already. The bytes at
    /// <paramref name="from"/> are only looked at where they lie in a page that this changes.
    /// </summary>
    private byte* Upsert(PageAccess access, ReadOnlySpan<byte> key, byte* from, int length, out bool isNew)
    {
        var isOverflow = length > TreePage.MaxInlineValue;
        var payload = isOverflow ? TreePage.OverflowReferenceSize : length;
        var leaf = Locate(access, key, out var level, out var index, out var found);
        if (IsChanged(access, key, from, length, leaf, found ? index : -1))
        {
            isNew = Put(access, key.ToArray(), new ReadOnlySpan<byte>(from, length).ToArray());
            return null;
        }

        _version++;
        isNew = !found;
        var page = new TreePage(
            found ? access.GetWritablePage(leaf.PageNumber) : access.GetPageToEdit(leaf.PageNumber)
        );
        long run = 0;
        byte* value = null;
        if (isOverflow)
            value = AllocateOverflow(access, length, out run);
        byte* to;
        if (!found || !TryOverwrite(access, page, index, payload, isOverflow, out to))
        {
            var tail = sizeof(ushort) + payload;
            var hasRoom = page.HasRoomFor(key, tail);
            if (!hasRoom)
            {
                access.MarkChanged(page.Pointer, 0, PageLayout.PageSize);
                if (!page.TryMakeRoom(key, tail))
                {
                    page = SplitLeaf(access, level, page, ref index, key, tail);
                    _hint = 0;
                }
            }

            to = page.InsertAt(index, key, tail, isOverflow);
            if (hasRoom)
                page.MarkInserted(access, index, to + tail);
            *(ushort*)to = (ushort)payload;
            to += sizeof(ushort);
            if (!found)
            {
                page.NoteInsert(index);
                _state.Count++;
            }
        }

        if (!isOverflow)
            return to;
        *(long*)to = run;
        *(int*)(to + sizeof(long)) = length;
        return value;
    }

    /// <summary>Writes over the old value where the new one fits; else removes the old entry.</summary>
    private bool TryOverwrite(PageAccess access, TreePage page, int index, int payload, bool isOverflow, out byte* to)
    {
        if (page.IsOverflow(index))
            FreeOverflow(access, page.OverflowRun(index, out var oldBytes), oldBytes);
        _ = page.Payload(index, out var old);
        if (old >= payload)
        {
            to = page.ShrinkPayload(index, payload, isOverflow);
            return true;
        }

        page.RemoveAt(index);
        to = null;
        return false;
    }

    /// <summary>A writer often writes the key that it has read, so the path to the leaf is kept.</summary>
    private bool TryGetAndStay(PageAccess access, ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        var page = Locate(access, key, out _, out var index, out var found);
        value = found ? ValueAt(access, page, index) : default;
        return found;
    }

    private PageAccess BeginWrite(ReadOnlySpan<byte> key)
    {
        var access = Access;
        if (!access.IsWritable)
            ThrowReadOnly(access);
        if (key.Length > TreePage.MaxKeyLength)
            ThrowKeyTooLarge(key.Length);
        return access;
    }

    /// <summary>
    /// The leaf that a key belongs to, with the path to it in <see cref="_path"/>: where the last put went, if it can
    /// be there.
    /// </summary>
    private TreePage Locate(PageAccess access, ReadOnlySpan<byte> key, out int level, out int index, out bool found)
    {
        TreePage page;
        if (_hint != 0)
        {
            page = new TreePage(access.GetPage(_hint));
            index = page.LowerBoundFromEnd(key, out found);
            if (
                found
                || (
                    (index > 0 || _hintIsFirst)
                    && (
                        index < page.Count
                        || _fencePage == null
                        || new TreePage(_fencePage).CompareKey(_fenceIndex, key) > 0
                    )
                )
            )
            {
                level = _hintLevel;
                return page;
            }
        }

        page = Descend(access, key, out level);
        index = page.LowerBound(key, 0, out found);
        return page;
    }

    private TreePage Descend(PageAccess access, ReadOnlySpan<byte> key, out int level)
    {
        var number = _state.Root;
        var isFirst = true;
        _fencePage = null;
        if (_path.Length == 0)
            _path = new PathStep[MaxDepth];
        for (level = 0; level < MaxDepth; level++)
        {
            var page = new TreePage(access.GetPage(number));
            ref var step = ref _path[level];
            step.Page = number;
            if (page.IsLeaf)
            {
                _hint = number;
                _hintLevel = level;
                _hintIsFirst = isFirst;
                return page;
            }

            if (page.Type != PageType.Branch)
                ThrowNotTree(number, page.Type);
            var index = page.ChildIndex(key);
            step.Index = index;
            isFirst &= index == 0;
            if (index + 1 < page.Count)
            {
                _fencePage = page.Pointer;
                _fenceIndex = index + 1;
            }

            number = page.Child(index);
        }

        throw access.Corrupt(number, Name, $"it lies more than {MaxDepth} levels below the root");
    }

    private byte* AllocateOverflow(PageAccess access, int length, out long run)
    {
        var pages = PageLayout.PagesForOverflow(length);
        var page = access.AllocateRun(pages, PageType.Overflow, out run);
        PageLayout.Overflow(page) = length;
        PageLayout.TreeTag(page) = TreeTag.Of(Name);
        _state.OverflowPages += pages;
        return page + PageLayout.HeaderSize;
    }

    private void FreeOverflow(PageAccess access, long run, int length)
    {
        var pages = PageLayout.PagesForOverflow(length);
        access.FreeRun(run, pages);
        _state.OverflowPages -= pages;
    }

    private void FreeSubtree(PageAccess access, long number, int level)
    {
        var page = new TreePage(access.GetPage(number));
        var count = page.Count;
        if (page.Type == PageType.Branch && level < MaxDepth)
        {
            // Where no value lies outside, the last level of branches names all that is to be freed.
            var leavesNext = level == _state.Depth - 2 && _state.OverflowPages == 0;
            for (var i = 0; i < count; i++)
            {
                if (leavesNext)
                    access.FreeRun(page.Child(i), 1);
                else
                    FreeSubtree(access, page.Child(i), level + 1);
            }
        }
        else if (page.IsLeaf)
        {
            for (var i = 0; i < count; i++)
            {
                if (page.IsOverflow(i))
                    FreeOverflow(access, page.OverflowRun(i, out var length), length);
            }
        }
        else
        {
            ThrowNotTree(number, page.Type);
        }

        access.FreeRun(number, 1);
    }

    /// <summary>
    /// Whether a key or value of this tree lies in the leaf about to change or in the overflow run about to be freed.
    /// </summary>
    private static bool IsChanged(
        PageAccess access,
        ReadOnlySpan<byte> key,
        byte* from,
        int length,
        TreePage leaf,
        int index
    )
    {
        fixed (byte* keyStart = key)
        {
            if (
                Lies(keyStart, key.Length, leaf.Pointer, PageLayout.PageSize)
                || Lies(from, length, leaf.Pointer, PageLayout.PageSize)
            )
            {
                return true;
            }

            if (index < 0 || !leaf.IsOverflow(index))
                return false;
            var run = access.GetPage(leaf.OverflowRun(index, out var old));
            return Lies(keyStart, key.Length, run, PageLayout.HeaderSize + (long)old)
                || Lies(from, length, run, PageLayout.HeaderSize + (long)old);
        }
    }

    private static bool Lies(byte* at, int length, byte* start, long size) =>
        length != 0 && (nuint)(at - start) < (nuint)size;

    [DoesNotReturn]
    private void ThrowReadOnly(PageAccess access) =>
        throw (
            access.Incomplete is { } error
                ? new IncompleteOperationException(error)
                : new InvalidOperationException(
                    $"Tree '{Name}' belongs to a read transaction; writes need a write transaction."
                )
        );

    private struct PathStep
    {
        public long Page;
        public int Index;
    }
}
