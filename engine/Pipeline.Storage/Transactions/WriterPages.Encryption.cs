namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>
    /// Makes sure that a page or run in use will be in the data file under the newest key: where it lies there under another one it is copied as if
    /// it were to be changed. Returns the bytes copied.
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
