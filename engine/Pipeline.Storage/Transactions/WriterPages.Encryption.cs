namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>
    /// Ensures that a page or run in use gets to the data file under the newest key. If the data file has it under
    /// another key, it is copied as if it were about to change. Returns the bytes copied.
    /// </summary>
    public long Reencrypt(long page, byte generation)
    {
        if ((ulong)page >= (ulong)_pageCount)
            throw OutOfRange(page);
        if (_data.GenerationOf(page) == generation)
            return 0;
        var before = _bytes;
        GetWritablePage(page);
        return _bytes - before;
    }

    /// <summary>Pages ever used.</summary>
    public long PageCount => _pageCount;
}
