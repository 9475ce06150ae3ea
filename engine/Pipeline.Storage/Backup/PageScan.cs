namespace Pipeline.Storage;

/// <summary>
/// Reads all pages in use in parts of <see cref="PagesPerPart"/> neighbours, in order, each verified. Part <em>n</em>
/// has the same bytes whenever its pages are the same. A snapshot is held for one group of pages (508 MiB) at a time,
/// so that a store of any size is read without holding back much; the parts of a store of several groups are as of
/// several transactions, and the journal from <see cref="Begin"/> to <see cref="Snapshot"/> makes them one. Not
/// thread-safe.
/// </summary>
/// <remarks>
/// A part: a bit for each of its pages, least significant first, set where the page is in use; then the pages in use.
/// </remarks>
public sealed unsafe class PageScan : IDisposable
{
    /// <summary>Pages of a part.</summary>
    public const int PagesPerPart = 512;

    /// <summary>Bytes of a part's bits.</summary>
    public const int MapBytes = PagesPerPart / 8;

    /// <summary>The most bytes of a part.</summary>
    public const int MaxPartBytes = MapBytes + (PagesPerPart << PageLayout.PageShift);

    private readonly ReadTransaction _reader;
    private readonly DataFile _data;
    private long _next = PageLayout.AllocationPageInGroup;
    private byte* _run;
    private long _runEnd;
    private long _runPages;

    /// <summary>Begins to read the current committed state.</summary>
    /// <param name="environment">The store.</param>
    /// <param name="owner">Who reads, for statistics.</param>
    public PageScan(StorageEnvironment environment, string owner)
    {
        ArgumentNullException.ThrowIfNull(environment);
        _data = environment.Context.Data;
        _reader = environment.BeginRead(owner);
        (Begin, BeginState) = (_reader.LogPosition, _reader.LogState);
    }

    /// <summary>The transaction of the first snapshot.</summary>
    public LogPosition Begin { get; }

    /// <summary>The store as of it.</summary>
    public LogState BeginState { get; }

    /// <summary>
    /// The snapshot being read. After the last part it is the snapshot that all parts, with the journal since
    /// <see cref="Begin"/>, add up to.
    /// </summary>
    public ReadTransaction Snapshot => _reader;

    /// <summary>Pages in use in the snapshot.</summary>
    public long UsedPages => State.PageCount - State.FreePages;

    /// <summary>The part that <see cref="TryRead"/> reads next.</summary>
    public long NextPart => _next / PagesPerPart;

    private LogState State => _reader.LogState;

    /// <summary>Reads the next part that has pages in use; false if there is none left.</summary>
    /// <param name="target">At least <see cref="MaxPartBytes"/>.</param>
    /// <param name="part">Its number.</param>
    /// <param name="length">Its bytes.</param>
    /// <exception cref="CorruptPageException">A page is damaged.</exception>
    public bool TryRead(Span<byte> target, out long part, out int length)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target.Length, MaxPartBytes);
        while (_next < State.PageCount)
        {
            part = _next / PagesPerPart;
            length = Read(target, (part + 1) * PagesPerPart);
            if (_next >= _runEnd)
                _reader.ForgetPages();
            if (length > MapBytes)
                return true;
        }
        (part, length) = (0, 0);
        return false;
    }

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    private int Read(Span<byte> target, long end)
    {
        target[..MapBytes].Clear();
        var length = MapBytes;
        var first = end - PagesPerPart;
        while (_next < end)
        {
            // A run never leaves its group, so that a group begins with the start of a page in every snapshot.
            if (_next % PageLayout.PagesPerGroup == 0 && _next > 0)
                _reader.Renew();
            if (_next >= State.PageCount)
            {
                _next = end;
                break;
            }
            var page =
                _next < _runEnd ? _run + ((_next - (_runEnd - _runPages)) << PageLayout.PageShift)
                : Storage.UsedPages.Includes(_reader, _next) ? Head(_next)
                : null;
            if (page != null)
            {
                var at = (int)(_next - first);
                target[at >> 3] |= (byte)(1 << (at & 7));
                new ReadOnlySpan<byte>(page, PageLayout.PageSize).CopyTo(target[length..]);
                length += PageLayout.PageSize;
            }
            _next++;
        }
        return length;
    }

    /// <summary>A page at which a page or run begins.</summary>
    private byte* Head(long number)
    {
        var page = _reader.Pages.GetPage(number);
        if (PageChecksum.Check(page, number, State.PageCount - number) is { } fault)
        {
            _data.DamageFound?.Invoke(number);
            throw new CorruptPageException(_data.Path, number, null, fault);
        }
        if (
            PageLayout.Type(page) == PageType.Overflow
            && PageLayout.PagesForOverflow(PageLayout.Overflow(page)) is > 1 and var pages
        )
        {
            _run = page;
            (_runPages, _runEnd) = (pages, number + pages);
        }
        return page;
    }
}
