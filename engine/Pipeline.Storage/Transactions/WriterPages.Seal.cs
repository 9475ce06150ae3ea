namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>
    /// Fills in the transaction and checksum of each changed page and adds a record of each version to the entry, if
    /// there is one. The pages do not change any more. Returns the versions made.
    /// </summary>
    public nint[] Seal(JournalEntry? entry)
    {
        if (Incomplete is { } error)
            throw new IncompleteOperationException(error);
        entry?.Begin();
        var kept = 0;
        Unlinked.EnsureCapacity(Unlinked.Count + _dropped); // The list is whole again only at the loop's end.
        for (var i = 0; i < _touched.Count; i++)
        {
            var version = (PageVersion*)_touched[i];
            if (version->Kind == PageVersionKind.Dropped)
            {
                Unlinked.Add((nint)version);
                continue;
            }
            version->Index = kept;
            _touched[kept++] = (nint)version;
        }
        _touched.RemoveRange(kept, _touched.Count - kept);
        foreach (var touched in _touched)
        {
            var version = (PageVersion*)touched;
            if (version->Kind != PageVersionKind.Freed)
                Complete(version);
            entry?.Add(version);
        }
        return [.. _touched];
    }

    private void Complete(PageVersion* version)
    {
        var page = PageVersion.Page(version);
        if (
            PageLayout.Type(page) == PageType.Overflow
            && PageLayout.PagesForOverflow(PageLayout.Overflow(page)) != version->PageCount
        )
        {
            throw new InvalidOperationException(
                $"The run at page {version->PageNumber} has {version->PageCount} pages, but its value of {PageLayout.Overflow(page)} bytes needs another number."
            );
        }

        PageLayout.Transaction(page) = _transaction;
        if (version->Kind == PageVersionKind.Changed && version->PageCount == 1)
        {
            PageVersion.Mark(page, 0, PageLayout.HeaderSize);
            PageLayout.Checksum(page) = PageChecksum.Update(
                version->Base,
                page,
                version->PageNumber,
                version->DirtyLines
            );
        }
        else
        {
            PageLayout.Checksum(page) = PageChecksum.Compute(page, version->PageNumber, version->PageCount);
        }
    }
}
