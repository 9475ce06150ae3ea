using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// The decrypted pages of an encrypted data file that transactions share: for each page number at most one, its content
/// in the data file. Lookups take no lock. A page removed from the cache, because it was rewritten or to make room (by
/// the CLOCK rule), stays readable for the transactions of that time, as versions in the <see cref="PageTable"/> do. If
/// those leave no room, a transaction decrypts pages for itself.
/// </summary>
/// <remarks>
/// No stale page can come in. The mapping's content for a page changes only when no open snapshot is older than the new
/// content. A transaction that reads the mapping has a snapshot for which no newer version of the page exists in
/// memory.
/// </remarks>
internal sealed unsafe class DecryptedPageCache : IDisposable
{
    private readonly StoreCipher _cipher;
    private readonly string _path;
    private readonly long _limit;
    private readonly AnonymousMemory _heads;
    private readonly Lock _gate = new();
    private readonly List<nint> _ring = [];
    private readonly Queue<(long Epoch, nint Plain)> _retired = new();
    private readonly List<nint> _unlinked = [];
    private int _hand;
    private long _bytes;
    private long _retiredBytes;
    private long _privateBytes;

    public DecryptedPageCache(StoreCipher cipher, string path, long maxPages, long limit)
    {
        (_cipher, _path, _limit) = (cipher, path, limit);
        _heads = new AnonymousMemory(maxPages * sizeof(nint), grows: true);
    }

    /// <summary>Makes the table usable for this many pages.</summary>
    public void Ensure(long pages) => _heads.Ensure(pages * sizeof(nint));

    /// <summary>The open transactions; null while the store is being opened, when nothing is evicted.</summary>
    public ReaderTable? Readers { get; set; }

    /// <summary>Is told of each page that a reader finds damaged, before the reader gets its error.</summary>
    public Action<long>? DamageFound { get; init; }

    /// <summary>Bytes of decrypted pages, shared and private.</summary>
    public long Bytes => Volatile.Read(ref _bytes) + Volatile.Read(ref _privateBytes);

    /// <summary>
    /// The decrypted page, from memory or the encrypted one. Valid until the caller's transaction ends.
    /// </summary>
    /// <exception cref="CorruptPageException">The page is damaged, or not the one that belongs there.</exception>
    public byte* Get(byte* encrypted, long page, long available, ref PrivatePages? own)
    {
        var plain = (PlainPage*)Volatile.Read(ref Head(page));
        if (plain == null)
            return Load(encrypted, page, available, ref own);
        if (plain->Used == 0)
            plain->Used = 1;
        return PlainPage.Page(plain);
    }

    /// <summary>
    /// Removes pages, given as versions, that the data file has just rewritten. Must run before these versions leave
    /// the page table.
    /// </summary>
    public void Invalidate(ReadOnlySpan<nint> versions)
    {
        lock (_gate)
        {
            foreach (var version in versions)
            {
                var plain = (PlainPage*)Head(((PageVersion*)version)->PageNumber);
                if (plain != null)
                    Unlink(plain);
            }
            Retire();
        }
    }

    /// <summary>Removes pages whose content in the mapping is about to change.</summary>
    public void Invalidate(List<long> pages)
    {
        lock (_gate)
        {
            foreach (var page in pages)
            {
                var plain = (PlainPage*)Head(page);
                if (plain != null)
                    Unlink(plain);
            }
            Retire();
        }
    }

    /// <summary>Counts the memory that transactions hold for themselves.</summary>
    public void CountPrivate(long bytes) => Interlocked.Add(ref _privateBytes, bytes);

    public void Dispose()
    {
        lock (_gate)
        {
            foreach (var plain in _ring)
                PlainPage.Free((PlainPage*)plain);
            foreach (var (_, plain) in _retired)
                PlainPage.Free((PlainPage*)plain);
            _ring.Clear();
            _retired.Clear();
        }
        _heads.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* Load(byte* encrypted, long page, long available, ref PrivatePages? own)
    {
        if (own is not null && own.Find(page) is var found && found != null)
            return found;
        var pages = 1;
        if (PageLayout.Type(encrypted) == PageType.Overflow)
        {
            pages = PageLayout.PagesForOverflow(PageLayout.Overflow(encrypted));
            if (PageLayout.Overflow(encrypted) < 0 || pages > available)
            {
                throw Corrupt(page, $"its run of {pages} pages goes beyond the end of the store");
            }
        }
        var shared = TryReserve(PlainPage.SizeOf(pages));
        var plain = PlainPage.Allocate(page, pages);
        if (_cipher.DecryptPage(encrypted, page, pages, PlainPage.Page(plain)) is { } reason)
        {
            Discard(plain, shared);
            throw Corrupt(page, reason);
        }
        if (!shared)
        {
            (own ??= new PrivatePages(this)).Add(plain);
            return PlainPage.Page(plain);
        }
        lock (_gate)
        {
            if (Head(page) == 0)
            {
                plain->Index = _ring.Count;
                _ring.Add((nint)plain);
                Volatile.Write(ref Head(page), (nint)plain);
                return PlainPage.Page(plain);
            }
        }
        // Another transaction was faster. Its page can only leave with an epoch that this transaction holds.
        Discard(plain, shared);
        return Get(encrypted, page, available, ref own);
    }

    private CorruptPageException Corrupt(long page, string reason)
    {
        DamageFound?.Invoke(page);
        return new CorruptPageException(_path, page, null, reason);
    }

    private void Discard(PlainPage* plain, bool shared)
    {
        if (shared)
            Interlocked.Add(ref _bytes, -PlainPage.SizeOf(plain->PageCount));
        PlainPage.Free(plain);
    }

    /// <summary>Counts the bytes as shared, if there is room or room can be made.</summary>
    private bool TryReserve(long bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) <= _limit)
            return true;
        lock (_gate)
        {
            Reclaim();
            // Memory held for old transactions may not grow beyond a share: more eviction would free nothing now.
            if (_bytes > _limit && _retiredBytes <= _limit / 8 && bytes <= _limit / 4)
            {
                Evict(Math.Max(bytes, _limit / 64));
                Retire();
            }
            if (_bytes <= _limit)
                return true;
            Interlocked.Add(ref _bytes, -bytes);
            return false;
        }
    }

    private void Evict(long bytes)
    {
        for (var steps = 2 * _ring.Count; steps > 0 && bytes > 0 && _ring.Count > 0; steps--)
        {
            if (_hand >= _ring.Count)
                _hand = 0;
            var plain = (PlainPage*)_ring[_hand];
            if (plain->Used != 0)
            {
                plain->Used = 0;
                _hand++;
                continue;
            }
            bytes -= PlainPage.SizeOf(plain->PageCount);
            Unlink(plain); // The last of the ring takes its place, under the hand.
        }
    }

    private void Unlink(PlainPage* plain)
    {
        Volatile.Write(ref Head(plain->PageNumber), 0);
        var last = (PlainPage*)_ring[^1];
        _ring[plain->Index] = (nint)last;
        last->Index = plain->Index;
        _ring.RemoveAt(_ring.Count - 1);
        _unlinked.Add((nint)plain);
        _retiredBytes += PlainPage.SizeOf(plain->PageCount);
    }

    private void Retire()
    {
        if (_unlinked.Count > 0)
        {
            var epoch = Readers?.AdvanceEpoch() ?? 0;
            foreach (var plain in _unlinked)
                _retired.Enqueue((epoch, plain));
            _unlinked.Clear();
        }
        Reclaim();
    }

    private void Reclaim()
    {
        if (_retired.Count == 0)
            return;
        var oldest = Readers?.OldestEpoch() ?? long.MaxValue;
        while (_retired.TryPeek(out var retired) && retired.Epoch < oldest)
        {
            var plain = (PlainPage*)_retired.Dequeue().Plain;
            var bytes = PlainPage.SizeOf(plain->PageCount);
            _retiredBytes -= bytes;
            Interlocked.Add(ref _bytes, -bytes);
            PlainPage.Free(plain);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref nint Head(long page) => ref *((nint*)_heads.Address + page);
}
