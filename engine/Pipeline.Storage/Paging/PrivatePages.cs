namespace Pipeline.Storage;

/// <summary>
/// Decrypted pages that one transaction holds for itself, since the shared ones are at their limit. Freed, wiped, at
/// its end; then it can be used again. Not thread-safe.
/// </summary>
internal sealed unsafe class PrivatePages(DecryptedPageCache owner) : IDisposable
{
    private readonly Dictionary<long, nint> _pages = [];
    private long _bytes;
    private bool _isAtRest;

    /// <summary>Bytes that it holds.</summary>
    public long Bytes => _bytes;

    /// <summary>A page that it holds, or null.</summary>
    public byte* Find(long page) => _pages.TryGetValue(page, out var plain) ? PlainPage.Page((PlainPage*)plain) : null;

    /// <summary>Takes a page over.</summary>
    public void Add(PlainPage* plain)
    {
        if (_isAtRest)
            GC.ReRegisterForFinalize(this);
        _isAtRest = false;
        _pages.Add(plain->PageNumber, (nint)plain);
        _bytes += PlainPage.SizeOf(plain->PageCount);
        owner.CountPrivate(PlainPage.SizeOf(plain->PageCount));
    }

    public void Dispose()
    {
        owner.CountPrivate(-_bytes);
        _bytes = 0;
        foreach (var plain in _pages.Values)
            PlainPage.Free((PlainPage*)plain);
        _pages.Clear();
        if (!_isAtRest)
            GC.SuppressFinalize(this);
        _isAtRest = true;
    }

    ~PrivatePages() => Dispose();
}
