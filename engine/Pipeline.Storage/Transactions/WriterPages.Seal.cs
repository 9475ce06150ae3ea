namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>Fills in the transaction and checksum of each changed page; they do not change any more. Returns the versions made.</summary>
    public nint[] Seal()
    {
        var kept = 0;
        for (var i = 0; i < _touched.Count; i++)
        {
            var version = (PageVersion*)_touched[i];
            if (version->Kind == PageVersionKind.Dropped)
            {
                _scratch.Return(version);
                continue;
            }
            version->Index = kept;
            _touched[kept++] = (nint)version;
        }
        _touched.RemoveRange(kept, _touched.Count - kept);
        foreach (var entry in _touched)
        {
            var version = (PageVersion*)entry;
            if (version->Kind == PageVersionKind.Freed)
                continue;
            var page = PageVersion.Page(version);
            if (PageLayout.Type(page) == PageType.Overflow && PageLayout.PagesForOverflow(PageLayout.Overflow(page)) != version->PageCount)
                throw new InvalidOperationException($"The run at page {version->PageNumber} has {version->PageCount} pages, its value of {PageLayout.Overflow(page)} bytes needs another number.");
            PageLayout.Transaction(page) = _transaction;
            PageLayout.Checksum(page) = PageChecksum.Compute(page, version->PageNumber, version->PageCount);
        }
        return [.. _touched];
    }

    /// <summary>Adds a record for each sealed version to the entry.</summary>
    public void WriteTo(JournalEntry entry)
    {
        entry.Begin();
        foreach (var version in _touched)
            entry.Add((PageVersion*)version);
    }
}
