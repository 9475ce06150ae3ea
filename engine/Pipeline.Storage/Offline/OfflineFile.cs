namespace Pipeline.Storage;

/// <summary>
/// The data file of a store that is not opened. Copies of an interrupted flush replace the pages that it may have torn.
/// Never writes. Each page is read through the file before its mapping is used, so if a device cannot read a page, only
/// that page gives an error. Not thread-safe.
/// </summary>
internal sealed unsafe class OfflineFile : IDisposable
{
    private const int ChunkBytes = 1 << 20;
    private readonly IStorageFile _file;
    private readonly StoreCipher? _cipher;
    private readonly Dictionary<long, byte[]> _copies = [];
    private readonly byte[] _chunk = GC.AllocateUninitializedArray<byte>(ChunkBytes);
    private readonly byte* _mapping;
    private readonly Dictionary<long, nint> _plain = [];
    private long _plainBytes;

    public OfflineFile(IStorageFile file, StoreCipher? cipher)
    {
        (_file, _cipher) = (file, cipher);
        Pages = file.Length >> PageLayout.PageShift;
        if (Pages > 0)
            _mapping = (byte*)file.Map(Math.Max(Pages << PageLayout.PageShift, Environment.SystemPageSize));
    }

    /// <summary>The file's path.</summary>
    public string Path => _file.Path;

    /// <summary>Whole pages that the file has.</summary>
    public long Pages { get; }

    /// <summary>Bytes of decrypted pages in memory.</summary>
    public long PlainBytes => _plainBytes;

    /// <summary>Takes bytes that an interrupted flush had put aside for their place.</summary>
    public void TakeCopy(long offset, ReadOnlySpan<byte> bytes)
    {
        for (var done = 0; done < bytes.Length; done += PageLayout.PageSize)
            _copies[(offset + done) >> PageLayout.PageShift] = bytes.Slice(done, PageLayout.PageSize).ToArray();
    }

    /// <summary>
    /// Gets the page, or the first one of a run, verified and decrypted; valid until <see cref="ForgetPlain"/>. Null,
    /// with the reason, if it is damaged.
    /// </summary>
    public byte* Get(long number, bool verified, out string? fault)
    {
        fault = null;
        if (_cipher is null)
        {
            if (!verified)
                fault = Check(number);
            return fault is null ? _mapping + (number << PageLayout.PageShift) : null;
        }
        if (_plain.TryGetValue(number, out var known))
            return PlainPage.Page((PlainPage*)known);
        if (number >= Pages)
        {
            fault = $"the file ends before it, at {_file.Length} bytes";
            return null;
        }
        var header = stackalloc byte[PageLayout.HeaderSize];
        fault = Read(number << PageLayout.PageShift, header, PageLayout.HeaderSize);
        var pages = fault is null ? PageLayout.PagesOf(header) : 1;
        if (fault is null && (pages < 1 || pages > Pages - number))
            fault = $"its run of {pages} pages goes beyond the end of the store";
        if (fault is not null)
            return null;
        var plain = PlainPage.Allocate(number, pages);
        fault =
            Read(number << PageLayout.PageShift, PlainPage.Page(plain), (long)pages << PageLayout.PageShift)
            ?? Decrypt(PlainPage.Page(plain), number, pages);
        if (fault is not null)
        {
            PlainPage.Free(plain);
            return null;
        }
        _plain.Add(number, (nint)plain);
        _plainBytes += PlainPage.SizeOf(pages);
        return PlainPage.Page(plain);
    }

    /// <summary>
    /// A page or run for the journal's changes. A plain one is not verified: a write that a crash has torn becomes
    /// whole by them. False, with zeros, where an encrypted one is not whole.
    /// </summary>
    public bool TryCopy(long number, int pages, byte* output)
    {
        var bytes = (long)pages << PageLayout.PageShift;
        // Unreadable parts of a plain page stay zeros; its checksum shows whether the journal has all of it.
        var reason = Read(number << PageLayout.PageShift, output, bytes);
        if (_cipher is null)
            return true;
        if (reason is null && PageLayout.PagesOf(output) == pages && Decrypt(output, number, pages) is null)
        {
            return true;
        }

        System.Runtime.InteropServices.NativeMemory.Clear(output, (nuint)bytes);
        return false;
    }

    /// <summary>Returns the fault of the stored page, encrypted or not; null if its checksum matches.</summary>
    public string? Check(long number)
    {
        if (number >= Pages)
            return $"the file ends before it, at {_file.Length} bytes";
        try
        {
            _file.Read(number << PageLayout.PageShift, _chunk.AsSpan(0, PageLayout.PageSize));
            fixed (byte* header = _chunk)
            {
                if (
                    _cipher is null
                    && PageLayout.Flags(header) != 0
                    && PageLayout.Type(header) is >= PageType.Allocation and <= PageType.Overflow
                )
                {
                    return $"it is encrypted under key {PageLayout.Flags(header)}, which is not known";
                }

                if (PageLayout.Type(header) == PageType.Overflow && PageLayout.Overflow(header) > PageLayout.BodySize)
                {
                    var pages = PageLayout.PagesForOverflow(PageLayout.Overflow(header));
                    var end = Math.Min(Pages, number + pages) << PageLayout.PageShift;
                    for (var at = (number + 1) << PageLayout.PageShift; at < end; at += ChunkBytes)
                        _file.Read(at, _chunk.AsSpan(0, (int)Math.Min(ChunkBytes, end - at)));
                }
            }
        }
        catch (IOException e)
        {
            return $"it cannot be read: {e.Message.TrimEnd('.')}";
        }
        return PageChecksum.Check(_mapping + (number << PageLayout.PageShift), number, Pages - number);
    }

    /// <summary>
    /// The transaction in a sound page's header if it is later than the given one; otherwise the given one.
    /// </summary>
    public long LaterTransaction(long number, long than)
    {
        var header = stackalloc byte[PageLayout.HeaderSize];
        return
            Read(number << PageLayout.PageShift, header, PageLayout.HeaderSize) is null
            && PageLayout.Type(header) is >= PageType.Allocation and <= PageType.Overflow
            && PageLayout.Number(header) == number
            && PageLayout.Transaction(header) > than
            && Check(number) is null
            ? PageLayout.Transaction(header)
            : than;
    }

    /// <summary>Wipes and frees decrypted pages.</summary>
    public void ForgetPlain()
    {
        foreach (var plain in _plain.Values)
            PlainPage.Free((PlainPage*)plain);
        _plain.Clear();
        _plainBytes = 0;
    }

    public void Dispose() => ForgetPlain();

    private string? Decrypt(byte* page, long number, int pages) =>
        PageChecksum.Check(page, number, pages) ?? _cipher?.DecryptPage(page, number, pages, page);

    private string? Read(long offset, byte* output, long bytes)
    {
        try
        {
            for (var done = 0L; done < bytes; done += ChunkBytes)
                _file.Read(offset + done, new Span<byte>(output + done, (int)Math.Min(ChunkBytes, bytes - done)));
        }
        catch (IOException e)
        {
            return $"it cannot be read: {e.Message.TrimEnd('.')}";
        }
        for (var at = 0L; _copies.Count > 0 && at < bytes; at += PageLayout.PageSize)
        {
            if (_copies.TryGetValue((offset + at) >> PageLayout.PageShift, out var copied))
            {
                copied
                    .AsSpan(0, (int)Math.Min(PageLayout.PageSize, bytes - at))
                    .CopyTo(new Span<byte>(output + at, PageLayout.PageSize));
            }
        }
        return null;
    }
}
