using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// Copies a page or run, decrypted, from the data file; false, with zeros, if the pages cannot be read.
/// </summary>
internal unsafe delegate bool PageCopier(long page, int pageCount, byte* output);

/// <summary>
/// Brings the pages that journal entries touch to their last state in memory, both for recovery and for reading a store
/// without opening it. Not thread-safe.
/// </summary>
/// <param name="scratch">Where the pages lie.</param>
/// <param name="copy">Gives a page as of before the entries.</param>
/// <param name="pageCount">The pages of the store before them.</param>
internal sealed unsafe class PageReplay(ScratchPool scratch, PageCopier copy, long pageCount) : IDisposable
{
    private readonly Dictionary<long, nint> _pages = [];
    private readonly HashSet<long> _freed = [];

    /// <summary>
    /// Unreadable pages that the journal has only in part: either a later record frees them, or they are damaged.
    /// </summary>
    private readonly HashSet<long> _unreadable = [];
    private long _pageCount = pageCount;

    /// <summary>The pages touched, each its last version.</summary>
    public IEnumerable<(long Number, nint Version)> Pages => _pages.Select(static p => (p.Key, p.Value));

    /// <summary>The version of a page or run; null if no entry has touched it, or if one freed it.</summary>
    public PageVersion* Find(long number) => _pages.TryGetValue(number, out var version) ? (PageVersion*)version : null;

    /// <summary>
    /// Whether an entry changed or freed the page, so that its content in the data file is out of date.
    /// </summary>
    public bool Has(long number) => _pages.ContainsKey(number) || _freed.Contains(number);

    /// <summary>Whether the touched page could not be read before it was touched.</summary>
    public bool IsUnreadable(long number) => _unreadable.Contains(number);

    /// <summary>Applies one transaction's records.</summary>
    /// <exception cref="JournalCorruptException">
    /// A record, though its entry's checksum is right, makes no sense.
    /// </exception>
    public void Apply(StoreState state, byte* records, byte* end, int count)
    {
        for (var i = 0; i < count; i++)
        {
            if (
                !RecordHeader.TryRead(
                    ref records,
                    end,
                    _pageCount,
                    state.PageCount,
                    out var kind,
                    out var number,
                    out var pages
                )
            )
            {
                throw Invalid(state, i);
            }

            if (kind == PageVersionKind.Freed)
            {
                Drop(number);
                _freed.Add(number);
                continue;
            }
            var version = kind == PageVersionKind.New ? Fresh(number, pages) : Existing(number, pages);
            records = PageDiff.Apply(records, end, PageVersion.Page(version), pages << PageLayout.PageShift);
            if (records == null)
                throw Invalid(state, i);
        }
        _pageCount = state.PageCount;
    }

    /// <summary>Forgets a version.</summary>
    public void Drop(long number)
    {
        _unreadable.Remove(number);
        if (_pages.Remove(number, out var version))
            scratch.Return((PageVersion*)version);
    }

    /// <summary>Forgets all.</summary>
    public void Dispose()
    {
        foreach (var version in _pages.Values)
            scratch.Return((PageVersion*)version);
        _pages.Clear();
        _freed.Clear();
        _unreadable.Clear();
    }

    private PageVersion* Existing(long number, int pages)
    {
        if (Find(number) is var known && known != null && known->PageCount == pages)
            return known;
        var version = Fresh(number, pages);
        version->NewSince = 0;
        if (!copy(number, pages, PageVersion.Page(version)))
            _unreadable.Add(number);
        return version;
    }

    private PageVersion* Fresh(long number, int pages)
    {
        Drop(number);
        _freed.Remove(number);
        var version = scratch.Rent(pages, PageVersionKind.New);
        version->PageNumber = number;
        version->NewSince = long.MaxValue;
        NativeMemory.Clear(PageVersion.Page(version), (nuint)pages << PageLayout.PageShift);
        _pages[number] = (nint)version;
        return version;
    }

    private static JournalCorruptException Invalid(StoreState state, int record) =>
        new(
            $"journal file {state.Journal.File}",
            state.Journal.Offset,
            state.TransactionId,
            $"record {record} of the entry that ends there is not valid"
        );
}
