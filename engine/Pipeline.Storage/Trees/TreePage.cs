using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Pipeline.Storage;

/// <summary>
/// One branch or leaf page of a tree, read and changed in place; engine/FORMAT.md describes its bytes.
/// </summary>
/// <remarks>
/// A slot is one number of 8 bytes. It has the first four bytes of the key after the page's prefix (big-endian, so that
/// numbers compare as keys do), the length of the key after the prefix with flags, and the entry's offset. A search
/// thus reads the slots, and entries only on equal heads. In a branch, entry 0 stands for "less than all": its key is
/// empty and never compared.
/// </remarks>
internal readonly unsafe partial struct TreePage
{
    /// <summary>The longest key that a tree takes.</summary>
    public const int MaxKeyLength = 1024;

    /// <summary>A longer value goes to an overflow run.</summary>
    public const int MaxInlineValue = 2032;

    /// <summary>The bytes of a page for prefix, slots and entries.</summary>
    public const int Capacity = PageLayout.PageSize - PageLayout.HeaderSize;

    /// <summary>
    /// A buffer for a key needs this much: the head is written as four bytes whatever the key's length.
    /// </summary>
    public const int KeyBufferSize = MaxKeyLength + 8;

    /// <summary>
    /// Bytes after the key in a leaf entry whose value lies in an overflow run: page number and length.
    /// </summary>
    public const int OverflowReferenceSize = 12;

    private const int SlotSize = 8;
    private const int HeadSize = 4;
    private const int LengthMask = 0x7FF;
    private const int OverflowFlag = 0x8000;

    /// <summary>With no more entries than this, those of a full page take several cache lines each.</summary>
    private const int LargeEntries = 48;
    private const int DeadOffset = 52;
    private const int InsertRunOffset = 54;

    // An entry takes at least 10 bytes, so an index has 10 bits.
    private const int InsertIndexBits = 10;
    private const int InsertIndexMask = 0x3FF;

    private readonly byte* _page;

    public TreePage(byte* page) => _page = page;

    public byte* Pointer => _page;

    /// <summary>
    /// Has the start of the page fetched while its header is still waited for: a search reads header, prefix and slots.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TreePage Prefetch()
    {
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(_page + 64);
            Sse.Prefetch0(_page + 128);
            Sse.Prefetch0(_page + 192);
            Sse.Prefetch0(_page + 256);
        }

        return this;
    }

    /// <summary>
    /// Has more of an entry of a page of large entries fetched, while its first bytes are still waited for.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchEntry(int index)
    {
        if (!Sse.IsSupported || Count > LargeEntries)
            return;
        var entry = _page + Offset(Slots[index]);
        Sse.Prefetch0(entry + 64);
        Sse.Prefetch0(entry + 128);
        Sse.Prefetch0(entry + 192);
        Sse.Prefetch0(entry + 256);
    }

    /// <summary>
    /// Prefetches the parts of the page that a scan reads first: header, slots and entries. The first entries are
    /// usually the highest.
    /// </summary>
    public void PrefetchForScan(bool fromEnd)
    {
        if (!Sse.IsSupported)
            return;
        var entries = _page + (fromEnd ? 1024 : PageLayout.PageSize - 512);
        for (var i = 0; i < 512; i += 64)
        {
            Sse.Prefetch0(_page + i);
            Sse.Prefetch0(entries + i);
        }
    }

    public PageType Type => (PageType)_page[PageLayout.TypeOffset];

    public bool IsLeaf => _page[PageLayout.TypeOffset] == (byte)PageType.Leaf;

    public long PageNumber => *(long*)(_page + PageLayout.NumberOffset);

    public int Count => *(ushort*)(_page + PageLayout.CountOffset);

    public int PrefixLength => *(ushort*)(_page + PageLayout.PrefixOffset);

    /// <summary>Bytes between the entries that nothing refers to.</summary>
    public int Dead
    {
        get => *(ushort*)(_page + DeadOffset);
        private set => *(ushort*)(_page + DeadOffset) = (ushort)value;
    }

    /// <summary>Bytes taken by prefix, slots and live entries.</summary>
    public int Used => Capacity - (Upper - Lower) - Dead;

    private int Lower
    {
        get => *(ushort*)(_page + PageLayout.LowerOffset);
        set => *(ushort*)(_page + PageLayout.LowerOffset) = (ushort)value;
    }

    private int Upper
    {
        get => *(ushort*)(_page + PageLayout.UpperOffset);
        set => *(ushort*)(_page + PageLayout.UpperOffset) = (ushort)value;
    }

    private ReadOnlySpan<byte> Prefix => new(_page + PageLayout.HeaderSize, PrefixLength);

    private ulong* Slots => (ulong*)(_page + PageLayout.HeaderSize + PrefixRoom(PrefixLength));

    /// <summary>Whether the value of entry <paramref name="index"/> lies in an overflow run.</summary>
    public bool IsOverflow(int index) => (Slots[index] >> 16 & OverflowFlag) != 0;

    /// <summary>The child page of entry <paramref name="index"/> of a branch.</summary>
    public long Child(int index)
    {
        var slot = Slots[index];
        return *(long*)(_page + Offset(slot) + RestLength(slot));
    }

    public void SetChild(int index, long child)
    {
        var slot = Slots[index];
        *(long*)(_page + Offset(slot) + RestLength(slot)) = child;
    }

    /// <summary>Where the value (or the overflow reference) of a leaf entry lies, and how long it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Payload(int index, out int length)
    {
        var slot = Slots[index];
        var at = _page + Offset(slot) + RestLength(slot);
        length = *(ushort*)at;
        return at + sizeof(ushort);
    }

    /// <summary>The run that holds the value of an overflow entry.</summary>
    public long OverflowRun(int index, out int length)
    {
        var payload = Payload(index, out _);
        length = *(int*)(payload + sizeof(long));
        return *(long*)payload;
    }

    public void SetOverflowRun(int index, long run) => *(long*)Payload(index, out _) = run;

    public int KeyLength(int index) => PrefixLength + SuffixLength(Slots[index]);

    /// <summary>
    /// Writes the key of entry <paramref name="index"/> to a buffer of at least <see cref="KeyBufferSize"/> bytes.
    /// </summary>
    public int CopyKey(int index, byte* destination)
    {
        var prefix = PrefixLength;
        Unsafe.CopyBlockUnaligned(destination, _page + PageLayout.HeaderSize, (uint)prefix);
        return prefix + CopySuffix(index, destination + prefix);
    }

    /// <summary>
    /// Writes what follows the prefix in the key of entry <paramref name="index"/>; up to three bytes behind it are
    /// overwritten too.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int CopySuffix(int index, byte* destination)
    {
        var slot = Slots[index];
        *(uint*)destination = BinaryPrimitives.ReverseEndianness((uint)(slot >> 32));
        var length = SuffixLength(slot);
        if (length > HeadSize)
            Unsafe.CopyBlockUnaligned(destination + HeadSize, _page + Offset(slot), (uint)(length - HeadSize));
        return length;
    }

    /// <summary>Writes the page's prefix to <paramref name="destination"/>.</summary>
    public int CopyPrefix(byte* destination)
    {
        var prefix = PrefixLength;
        Unsafe.CopyBlockUnaligned(destination, _page + PageLayout.HeaderSize, (uint)prefix);
        return prefix;
    }

    /// <summary>
    /// The bytes of a stored prefix: it lies between header and slots, padded with zeros so that the slots are aligned.
    /// </summary>
    public static int PrefixRoom(int length) => (length + 7) & ~7;

    /// <summary>Bytes that entry <paramref name="index"/> takes, its slot included.</summary>
    public int EntrySize(int index) => SlotSize + EntryLength(Slots[index]);

    /// <summary>
    /// Bytes that an entry with this key and tail (what follows the key) takes where <paramref name="prefix"/> bytes
    /// are shared.
    /// </summary>
    public static int EntrySize(int keyLength, int prefix, int tail) =>
        SlotSize + Math.Max(0, keyLength - prefix - HeadSize) + tail;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Offset(ulong slot) => (ushort)slot;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SuffixLength(ulong slot) => (int)(slot >> 16) & LengthMask;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int RestLength(ulong slot)
    {
        var rest = SuffixLength(slot) - HeadSize;
        return rest & ~(rest >> 31);
    }

    private static ulong Slot(uint head, int length, int flags, int offset) =>
        (ulong)head << 32 | (uint)(length | flags) << 16 | (uint)offset;

    private int EntryLength(ulong slot)
    {
        var rest = RestLength(slot);
        return IsLeaf ? rest + sizeof(ushort) + *(ushort*)(_page + Offset(slot) + rest) : rest + sizeof(long);
    }

    /// <summary>The first four bytes as a number that compares as they do; bytes that are missing count as 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Head(ReadOnlySpan<byte> suffix)
    {
        if (suffix.Length >= HeadSize)
            return BinaryPrimitives.ReadUInt32BigEndian(suffix);
        uint head = 0;
        for (var i = 0; i < suffix.Length; i++)
            head |= (uint)suffix[i] << (24 - 8 * i);
        return head;
    }

    /// <summary>
    /// Whether at least three inserts in a row each went right behind the previous one, and an insert at this index
    /// would continue this.
    /// </summary>
    public bool IsSequentialInsert(int index)
    {
        int run = *(ushort*)(_page + InsertRunOffset);
        return run >> InsertIndexBits >= 3 && index == (run + 1 & InsertIndexMask);
    }

    /// <summary>
    /// Remembers where an insert went, so that a split can distinguish a rising sequence from scattered keys.
    /// </summary>
    public void NoteInsert(int index)
    {
        int run = *(ushort*)(_page + InsertRunOffset);
        var length = index == (run + 1 & InsertIndexMask) ? Math.Min(63, (run >> InsertIndexBits) + 1) : 0;
        *(ushort*)(_page + InsertRunOffset) = (ushort)(length << InsertIndexBits | index);
    }

    /// <summary>Makes an empty page the next one of a rising sequence.</summary>
    public void ContinueSequence() => *(ushort*)(_page + InsertRunOffset) = ushort.MaxValue;
}
