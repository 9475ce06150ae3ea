using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <content>Changes within a page; all need the page to be writable.</content>
internal readonly unsafe partial struct TreePage
{
    /// <summary>Makes the page empty, with this prefix for the keys to come.</summary>
    public void Reset(PageType type, ReadOnlySpan<byte> prefix)
    {
        _page[PageLayout.TypeOffset] = (byte)type;
        *(uint*)(_page + DeadOffset) = 0;
        Lower = PageLayout.HeaderSize + PrefixRoom(prefix.Length);
        Upper = PageLayout.PageSize;
        *(ushort*)(_page + PageLayout.CountOffset) = 0;
        *(ushort*)(_page + PageLayout.PrefixOffset) = (ushort)prefix.Length;
        var room = new Span<byte>(_page + PageLayout.HeaderSize, PrefixRoom(prefix.Length));
        prefix.CopyTo(room);
        room.Slice(prefix.Length).Clear();
    }

    /// <summary>Copies everything except the identity (number, transaction, checksum) from another page.</summary>
    public void CopyContentFrom(TreePage source)
    {
        _page[PageLayout.TypeOffset] = source._page[PageLayout.TypeOffset];
        Unsafe.CopyBlockUnaligned(_page + DeadOffset, source._page + DeadOffset, PageLayout.PageSize - DeadOffset);
    }

    /// <summary>Makes an entry; room must have been made. Returns where what follows the key (the tail) goes.</summary>
    public byte* InsertAt(int index, ReadOnlySpan<byte> key, int tail, bool overflow = false)
    {
        var suffix = key.Slice(PrefixLength);
        var rest = suffix.Length > HeadSize ? suffix.Slice(HeadSize) : default;
        var upper = Upper - rest.Length - tail;
        MakeSlot(index, Slot(Head(suffix), suffix.Length, overflow ? OverflowFlag : 0, upper));
        Upper = upper;
        rest.CopyTo(new Span<byte>(_page + upper, rest.Length));
        return _page + upper + rest.Length;
    }

    /// <summary>Appends a branch's first entry, which stands for all keys less than the next one.</summary>
    public void AppendFirstChild(long child)
    {
        var upper = Upper - sizeof(long);
        MakeSlot(0, Slot(0, 0, 0, upper));
        Upper = upper;
        *(long*)(_page + upper) = child;
    }

    public void AppendChild(ReadOnlySpan<byte> separator, long child) =>
        *(long*)InsertAt(Count, separator, sizeof(long)) = child;

    /// <summary>
    /// Appends entry <paramref name="index"/> of another page. The page's prefix must be one of that entry's key.
    /// </summary>
    public void AppendFrom(TreePage source, int index)
    {
        var slot = source.Slots[index];
        if (PrefixLength != source.PrefixLength)
        {
            AppendWithOtherPrefix(source, index);
            return;
        }

        var length = source.EntryLength(slot);
        var upper = Upper - length;
        Unsafe.CopyBlockUnaligned(_page + upper, source._page + Offset(slot), (uint)length);
        MakeSlot(Count, slot & ~0xFFFFUL | (uint)upper);
        Upper = upper;
    }

    public void RemoveAt(int index)
    {
        var slot = Slots[index];
        var length = EntryLength(slot);
        var count = Count;
        Buffer.MemoryCopy(
            Slots + index + 1,
            Slots + index,
            (count - index - 1) * SlotSize,
            (count - index - 1) * SlotSize
        );
        *(ushort*)(_page + PageLayout.CountOffset) = (ushort)(count - 1);
        Lower -= SlotSize;
        if (Offset(slot) == Upper)
            Upper += length;
        else
            Dead += length;
    }

    /// <summary>Makes entry 0 of a branch, whose predecessor was removed, stand for "less than all".</summary>
    public void ForgetFirstSeparator()
    {
        var slot = Slots[0];
        var rest = RestLength(slot);
        Slots[0] = Slot(0, 0, 0, Offset(slot) + rest);
        if (Offset(slot) == Upper)
            Upper += rest;
        else
            Dead += rest;
    }

    /// <summary>Replaces an entry's value in place; the new value must not be longer.</summary>
    public byte* ShrinkPayload(int index, int length, bool overflow)
    {
        var payload = Payload(index, out var old);
        *(ushort*)(payload - sizeof(ushort)) = (ushort)length;
        Dead += old - length;
        Slots[index] = Slots[index] & ~((ulong)OverflowFlag << 16) | (overflow ? (ulong)OverflowFlag << 16 : 0);
        return payload;
    }

    /// <summary>
    /// Makes room for an entry with this key: by the free bytes, by closing gaps, or with a longer or shorter prefix.
    /// <see langword="false"/> where the page must be split; it is then unchanged.
    /// </summary>
    public bool TryMakeRoom(ReadOnlySpan<byte> key, int tail)
    {
        return HasRoomFor(key, tail) || TryRebuildFor(key, tail, key.CommonPrefixLength(Prefix));
    }

    /// <summary>Whether an entry with this key fits into the free bytes when only slots are moved.</summary>
    public bool HasRoomFor(ReadOnlySpan<byte> key, int tail) =>
        EntrySize(key.Length, PrefixLength, tail) <= Upper - Lower && HasPrefixOf(key);

    /// <summary>
    /// Marks the bytes that the last insert changed: the slots from its own on, and its entry, which ends at
    /// <paramref name="end"/>.
    /// </summary>
    public void MarkInserted(PageAccess access, int index, byte* end)
    {
        var slot = (int)((byte*)(Slots + index) - _page);
        access.MarkChanged(_page, slot, Lower - slot);
        access.MarkChanged(_page, Upper, (int)(end - _page) - Upper);
    }

    /// <summary>
    /// Whether the key begins with the page's prefix; if not, it lies before or behind all keys of the page.
    /// </summary>
    public bool HasPrefixOf(ReadOnlySpan<byte> key) => key.StartsWith(Prefix);

    /// <summary>Bytes that the page would use if all its keys shared <paramref name="prefix"/> bytes.</summary>
    public int UsedWithPrefix(int prefix)
    {
        var own = PrefixLength;
        var used = Used + PrefixRoom(prefix) - PrefixRoom(own);
        if (prefix == own)
            return used;
        var slots = Slots;
        var count = Count;
        for (var i = IsLeaf ? 0 : 1; i < count; i++)
            used += Math.Max(0, SuffixLength(slots[i]) + own - prefix - HeadSize) - RestLength(slots[i]);
        return used;
    }

    /// <summary>
    /// Rewrites all entries without gaps, with the first <paramref name="prefixLength"/> bytes of
    /// <paramref name="key"/> as prefix.
    /// </summary>
    [SkipLocalsInit]
    public void Rebuild(ReadOnlySpan<byte> key, int prefixLength)
    {
        var copy = stackalloc byte[PageLayout.PageSize];
        Unsafe.CopyBlockUnaligned(copy, _page, PageLayout.PageSize);
        var source = new TreePage(copy);
        var run = *(ushort*)(_page + InsertRunOffset);
        var type = Type;
        Reset(type, key.Slice(0, prefixLength));
        var count = source.Count;
        var first = 0;
        if (type == PageType.Branch && count != 0)
        {
            AppendFirstChild(source.Child(0));
            first = 1;
        }

        for (var i = first; i < count; i++)
            AppendFrom(source, i);
        *(ushort*)(_page + InsertRunOffset) = run;
    }

    [SkipLocalsInit]
    private bool TryRebuildFor(ReadOnlySpan<byte> key, int tail, int shared)
    {
        var first = IsLeaf ? 0 : 1;
        var count = Count;
        if (count <= first)
        {
            Rebuild(default, 0);
            return true;
        }

        var prefix = shared;
        if (shared == PrefixLength)
        {
            var low = stackalloc byte[KeyBufferSize];
            var high = stackalloc byte[KeyBufferSize];
            var lowest = new ReadOnlySpan<byte>(low, CopyKey(first, low));
            var highest = new ReadOnlySpan<byte>(high, CopyKey(count - 1, high));
            prefix = Math.Min(lowest.CommonPrefixLength(highest), key.CommonPrefixLength(lowest));
        }

        if (UsedWithPrefix(prefix) + EntrySize(key.Length, prefix, tail) > Capacity)
            return false;
        Rebuild(key, prefix);
        return true;
    }

    [SkipLocalsInit]
    private void AppendWithOtherPrefix(TreePage source, int index)
    {
        var buffer = stackalloc byte[KeyBufferSize];
        var key = new ReadOnlySpan<byte>(buffer, source.CopyKey(index, buffer));
        var slot = source.Slots[index];
        var rest = RestLength(slot);
        var tail = source.EntryLength(slot) - rest;
        var to = InsertAt(Count, key, tail, source.IsOverflow(index));
        Unsafe.CopyBlockUnaligned(to, source._page + Offset(slot) + rest, (uint)tail);
    }

    private void MakeSlot(int index, ulong slot)
    {
        var count = Count;
        var slots = Slots;
        if (index < count)
            Buffer.MemoryCopy(slots + index, slots + index + 1, (count - index) * SlotSize, (count - index) * SlotSize);
        slots[index] = slot;
        *(ushort*)(_page + PageLayout.CountOffset) = (ushort)(count + 1);
        Lower += SlotSize;
    }
}
