namespace Pipeline.Storage;

/// <summary>Walks the pages and runs in use of a snapshot, in order, except the meta pages. Not thread-safe.</summary>
internal sealed unsafe class UsedPages(ReadTransaction snapshot)
{
    private const long Group = PageLayout.PagesPerGroup;
    private const int PagesSeenAtOnce = 512;
    private readonly long _pageCount = snapshot.LogState.PageCount;
    private long _next = PageLayout.AllocationPageInGroup;
    private int _seen;

    /// <summary>The number of the page, or of the run's first.</summary>
    public long Number { get; private set; }

    /// <summary>Its bytes, valid until the next step.</summary>
    public ReadOnlySpan<byte> Bytes => new(Start, checked((int)((long)Count << PageLayout.PageShift)));

    /// <summary>Pages of the run; 1 for a single page.</summary>
    public int Count { get; private set; }

    private byte* Start { get; set; }

    /// <summary>Goes to the next one; false at the end.</summary>
    /// <exception cref="CorruptPageException">A page is damaged.</exception>
    public bool MoveNext()
    {
        if (_seen > PagesSeenAtOnce)
        {
            _seen = 0;
            snapshot.ForgetPages();
        }
        while (_next < _pageCount && !Includes(snapshot, _next))
            _next++;
        if (_next >= _pageCount)
        {
            (Number, Count) = (long.MaxValue, 0);
            Start = null;
            return false;
        }
        Number = _next;
        Start = snapshot.Pages.GetPage(Number);
        Count = PageLayout.PagesOf(Start);
        _next += Count;
        _seen += Count;
        return true;
    }

    /// <summary>Whether a snapshot has a page in use; the meta pages do not count.</summary>
    /// <exception cref="CorruptPageException">The allocation page is damaged.</exception>
    public static bool Includes(ReadTransaction snapshot, long page)
    {
        var group = page / Group * Group;
        var map = group + PageLayout.AllocationPageInGroup;
        if (page < PageLayout.AllocationPageInGroup || page >= snapshot.LogState.PageCount)
            return false;
        // An allocation page is always in use. The answer must not read it, because it may be the damaged page.
        return page == map
            || (
                map < snapshot.LogState.PageCount
                && Bitmap.IsUsed(snapshot.Pages.GetPage(map) + PageLayout.HeaderSize, page - group)
            );
    }
}
