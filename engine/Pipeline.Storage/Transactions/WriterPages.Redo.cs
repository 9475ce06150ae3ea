using System.Runtime.InteropServices;

namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>
    /// Makes the page changes of another node's transaction. Each changed page is verified against the checksum that
    /// the entry gives it, so a page that differs anywhere from the other node's is found. Space for new pages is
    /// reserved before they are made.
    /// </summary>
    /// <param name="store">The store's folder, for errors.</param>
    /// <param name="state">The state that the entry leads to.</param>
    /// <param name="records">Its records.</param>
    /// <param name="end">Their end.</param>
    /// <param name="count">How many they are.</param>
    /// <returns>The versions made.</returns>
    /// <exception cref="ReplicaDivergedException">A page differs from the other node's.</exception>
    /// <exception cref="CorruptPageException">A page that is to change is damaged in the data file.</exception>
    /// <exception cref="CorruptEntryException">A record makes no sense.</exception>
    public nint[] Redo(string store, StoreState state, byte* records, byte* end, int count)
    {
        if ((_faults & StorageFaults.ApplyUnreserved) == 0)
            _data.EnsurePages(state.PageCount);
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
                throw Invalid(i);
            }

            if (kind == PageVersionKind.Freed)
            {
                _table.Push(Rent(number, pages, PageVersionKind.Freed));
                continue;
            }
            var version = kind == PageVersionKind.New ? RedoNew(number, pages) : RedoChanged(store, number, pages);
            records = PageDiff.Apply(records, end, PageVersion.Page(version), pages << PageLayout.PageShift);
            if (records == null)
                throw Invalid(i);
            Verify(store, version, state);
        }
        if (records != end)
            throw Invalid(count);
        (_pageCount, _freePages, _catalogRoot) = (state.PageCount, state.FreePages, state.CatalogRoot);
        for (var i = 0; i < _touched.Count; i++)
            ((PageVersion*)_touched[i])->Index = i;
        return [.. _touched];
    }

    private PageVersion* RedoNew(long number, int pages)
    {
        if ((_faults & StorageFaults.ApplyUnreserved) == 0)
            Reserve(number, pages);
        var version = Rent(number, pages, PageVersionKind.New);
        version->NewSince = _transaction;
        NativeMemory.Clear(PageVersion.Page(version), (nuint)pages << PageLayout.PageShift);
        _table.Push(version);
        return version;
    }

    private PageVersion* RedoChanged(string store, long number, int pages)
    {
        if (number >= _pageCount)
            throw Diverged(store, number, $"it is to change, but the store has {_pageCount} pages");
        var older = _table.Find(number, _transaction);
        if (older != null && older->Kind == PageVersionKind.Freed)
            throw Diverged(store, number, "it is to change, but is free");
        var page =
            older == null
                ? Copy(number, GetFromFile(number), 0)
                : Copy(number, PageVersion.Page(older), older->NewSince);
        var version = (PageVersion*)(page - PageVersion.HeaderBytes);
        return version->PageCount == pages
            ? version
            : throw Diverged(store, number, $"it has {version->PageCount} pages, the leader's {pages}");
    }

    private void Verify(string store, PageVersion* version, StoreState state)
    {
        if ((_faults & StorageFaults.ApplyUnverified) != 0)
            return;
        var page = PageVersion.Page(version);
        if (
            PageLayout.Type(page) == PageType.Overflow
            && PageLayout.PagesForOverflow(PageLayout.Overflow(page)) != version->PageCount
        )
        {
            throw Diverged(
                store,
                version->PageNumber,
                $"its value of {PageLayout.Overflow(page)} bytes does not fit into {version->PageCount} pages"
            );
        }

        if (PageChecksum.Check(page, version->PageNumber, version->PageCount) is { } reason)
        {
            // A base that this disk has damaged since it was verified is no difference to the leader.
            if (version->Kind == PageVersionKind.Changed && version->Older == null)
                _data.VerifyAgain(version->PageNumber, _base.PageCount);
            throw Diverged(store, version->PageNumber, reason);
        }
        if (PageLayout.Transaction(page) != state.TransactionId)
            throw Diverged(store, version->PageNumber, $"it names transaction {PageLayout.Transaction(page)}");
    }

    private ReplicaDivergedException Diverged(string store, long page, string reason) =>
        new(store, page, _transaction, reason);

    private CorruptEntryException Invalid(int record) =>
        new($"record {record} of transaction {_transaction} is not valid");
}
