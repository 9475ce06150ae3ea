using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// Sizes of pages and the offsets of the header's fields, as engine/FORMAT.md gives them, with accessors for a page in
/// memory. The accessors check nothing and are as thread-safe as the memory they touch.
/// </summary>
internal static unsafe class PageLayout
{
    /// <summary>Bytes of a page.</summary>
    public const int PageSize = 8192;

    /// <summary>log2 of <see cref="PageSize"/>.</summary>
    public const int PageShift = 13;

    /// <summary>Bytes of the header at the start of every page, or of a run's first page.</summary>
    public const int HeaderSize = 64;

    /// <summary>Bytes of a page after its header.</summary>
    public const int BodySize = PageSize - HeaderSize;

    /// <summary>The number of pages whose use one allocation page tracks.</summary>
    public const long PagesPerGroup = BodySize * 8L;

    /// <summary>Where, within its group, the group's allocation page lies.</summary>
    public const long AllocationPageInGroup = 2;

    /// <summary>Offset of the checksum (4 bytes).</summary>
    public const int ChecksumOffset = 0;

    /// <summary>Offset of the type (1 byte).</summary>
    public const int TypeOffset = 4;

    /// <summary>Offset of the flags (1 byte).</summary>
    public const int FlagsOffset = 5;

    /// <summary>Offset of the tag of the tree that the page belongs to (2 bytes).</summary>
    public const int TreeTagOffset = 6;

    /// <summary>Offset of the page's number (8 bytes).</summary>
    public const int NumberOffset = 8;

    /// <summary>Offset of the transaction that changed the page last (8 bytes).</summary>
    public const int TransactionOffset = 16;

    /// <summary>Offset of the nonce (12 bytes).</summary>
    public const int NonceOffset = 24;

    /// <summary>Offset of the authentication tag (16 bytes).</summary>
    public const int TagOffset = 36;

    /// <summary>Offset of the bytes of the value in an overflow run (4 bytes).</summary>
    public const int OverflowOffset = 52;

    /// <summary>Offset of the end of the slots (2 bytes).</summary>
    public const int LowerOffset = 56;

    /// <summary>Offset of the start of the entries (2 bytes).</summary>
    public const int UpperOffset = 58;

    /// <summary>Offset of the number of entries (2 bytes).</summary>
    public const int CountOffset = 60;

    /// <summary>Offset of the length of the prefix all keys share (2 bytes).</summary>
    public const int PrefixOffset = 62;

    /// <summary>The page's checksum.</summary>
    public static ref uint Checksum(byte* page) => ref Unsafe.AsRef<uint>(page + ChecksumOffset);

    /// <summary>The page's type.</summary>
    public static ref PageType Type(byte* page) => ref Unsafe.AsRef<PageType>(page + TypeOffset);

    /// <summary>The page's flags.</summary>
    public static ref byte Flags(byte* page) => ref Unsafe.AsRef<byte>(page + FlagsOffset);

    /// <summary>
    /// A tag that distinguishes the page's tree from most others; salvage uses it to assign a page whose parent is
    /// damaged. 0 if unknown.
    /// </summary>
    public static ref ushort TreeTag(byte* page) => ref Unsafe.AsRef<ushort>(page + TreeTagOffset);

    /// <summary>The page's own number.</summary>
    public static ref long Number(byte* page) => ref Unsafe.AsRef<long>(page + NumberOffset);

    /// <summary>The last transaction that changed the page.</summary>
    public static ref long Transaction(byte* page) => ref Unsafe.AsRef<long>(page + TransactionOffset);

    /// <summary>Bytes of the value in an overflow run; else 0.</summary>
    public static ref int Overflow(byte* page) => ref Unsafe.AsRef<int>(page + OverflowOffset);

    /// <summary>Where the slots end.</summary>
    public static ref ushort Lower(byte* page) => ref Unsafe.AsRef<ushort>(page + LowerOffset);

    /// <summary>Where the entries start.</summary>
    public static ref ushort Upper(byte* page) => ref Unsafe.AsRef<ushort>(page + UpperOffset);

    /// <summary>The number of entries.</summary>
    public static ref ushort Count(byte* page) => ref Unsafe.AsRef<ushort>(page + CountOffset);

    /// <summary>Bytes that all keys of the page share.</summary>
    public static ref ushort Prefix(byte* page) => ref Unsafe.AsRef<ushort>(page + PrefixOffset);

    /// <summary>The pages of a run by the header of its first page; 1 for every other page.</summary>
    public static int PagesOf(byte* page) => Type(page) == PageType.Overflow ? PagesForOverflow(Overflow(page)) : 1;

    /// <summary>Pages of a run whose value has the given length: the header lies before it on the first page.</summary>
    public static int PagesForOverflow(int valueLength) =>
        (int)(((long)valueLength + HeaderSize + PageSize - 1) >> PageShift);
}
