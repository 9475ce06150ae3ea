namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>
    /// Where damaged pages are fetched from; null if there is no equal store. While it is set, a scrub repairs what
    /// it finds damaged, and so does a background task after a read has found damage. Whoever drives the replica sets it.
    /// </summary>
    public IPageSource? PageSource
    {
        get => _scrubber?.Source;
        set
        {
            if (_scrubber is not null)
                _scrubber.Source = value;
        }
    }

    /// <summary>Copies a page or run for the repair of an equal store, in a snapshot of this moment.</summary>
    /// <param name="page">The page's number; a run's first.</param>
    /// <param name="source">The name of this store, for people.</param>
    /// <returns>The copy; null if the page is not in use.</returns>
    /// <exception cref="CorruptPageException">The page is damaged here, too.</exception>
    /// <exception cref="InvalidOperationException">As many readers as allowed are open.</exception>
    public unsafe PageCopy? CopyPage(long page, string source)
    {
        using var snapshot = BeginRead("repair of another store");
        if (!UsedPages.Includes(snapshot, page))
            return null;
        var start = snapshot.Pages.GetPage(page);
        if (PageChecksum.Check(start, page, snapshot.LogState.PageCount - page) is { } fault)
            throw snapshot.Pages.Corrupt(page, null, fault);
        var count = PageLayout.PagesOf(start);
        var bytes = new ReadOnlySpan<byte>(start, checked((int)((long)count << PageLayout.PageShift))).ToArray();
        return new PageCopy(bytes, snapshot.Id, source);
    }
}
