using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>The kinds of nodes in the page translation table.</summary>
internal enum PageVersionKind
{
    /// <summary>A changed copy of an older version.</summary>
    Changed = 0,

    /// <summary>A newly allocated page or run, made from zeros.</summary>
    New = 1,

    /// <summary>The page was freed: nothing is to be written for it.</summary>
    Freed = 2,

    /// <summary>Allocated and freed within one transaction: no longer in the table.</summary>
    Dropped = 3,
}

/// <summary>
/// One version of a page (or run): a node of 128 bytes in native memory, with the page's bytes right behind it unless
/// it is
/// <see cref="PageVersionKind.Freed"/>. Once its transaction is sealed only <see cref="Older"/> still changes.
/// </summary>
[StructLayout(LayoutKind.Sequential, Size = HeaderBytes)]
internal unsafe struct PageVersion
{
    /// <summary>Bytes before the page.</summary>
    public const int HeaderBytes = 128;

    /// <summary>The transaction that made it.</summary>
    public long TransactionId;

    /// <summary>The next older version in memory, or null if the data file has the older content.</summary>
    public PageVersion* Older;

    /// <summary>The page's number.</summary>
    public long PageNumber;

    /// <summary>
    /// The page's former content, for the journal's changed ranges; null if there was none. Valid while the transaction
    /// is open.
    /// </summary>
    public byte* Base;

    /// <summary>
    /// The transaction that created the page, if known: from it on the journal has the whole page. Otherwise 0.
    /// </summary>
    public long NewSince;

    /// <summary>Pages in the run.</summary>
    public int PageCount;

    /// <summary>The node's kind.</summary>
    public PageVersionKind Kind;

    /// <summary>Where its transaction's list of versions has it.</summary>
    public int Index;

    /// <summary>
    /// Which lines of 64 bytes of a changed page may differ from its base; bit n % 64 of word n / 64 stands for line n.
    /// </summary>
    public fixed ulong DirtyLines[2];

    /// <summary>Bytes of a line.</summary>
    public const int LineBytes = PageLayout.PageSize / 128;

    /// <summary>Notes that any byte of a page that a version holds may change.</summary>
    public static void MarkAll(byte* page)
    {
        var version = (PageVersion*)(page - HeaderBytes);
        version->DirtyLines[0] = version->DirtyLines[1] = ulong.MaxValue;
    }

    /// <summary>Notes that bytes of a page that a version holds, at least one, may change.</summary>
    public static void Mark(byte* page, int offset, int count)
    {
        var version = (PageVersion*)(page - HeaderBytes);
        var first = offset / LineBytes;
        var last = (offset + count - 1) / LineBytes;
        var lines = (UInt128.MaxValue >> (127 - (last - first))) << first;
        version->DirtyLines[0] |= (ulong)lines;
        version->DirtyLines[1] |= (ulong)(lines >> 64);
    }

    /// <summary>The page's bytes.</summary>
    public static byte* Page(PageVersion* version) => (byte*)version + HeaderBytes;
}
