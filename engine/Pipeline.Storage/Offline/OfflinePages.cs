using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// The pages of a store that is not opened: the data file, with what the journal holds beyond it in memory. Each page is read and verified
/// before it is used, so that a device that cannot read one gives an error for that page and nothing worse. Never writes. Not thread-safe.
/// </summary>
internal sealed unsafe class OfflinePages : PageAccess, IDisposable
{
    private const int ChunkBytes = 1 << 20;
    private readonly IStorageFile _file;
    private readonly ScratchPool _scratch = new(0);
    private readonly Dictionary<long, nint> _overlay = [];
    private readonly HashSet<long> _freed = [];
    private readonly Dictionary<long, string> _faults = [];
    private readonly byte[] _chunk = GC.AllocateUninitializedArray<byte>(ChunkBytes);
    private readonly byte* _mapping;
    private readonly long _filePages;
    private long[] _verified = [];

    public OfflinePages(IStorageFile file, StoreState state)
    {
        _file = file;
        State = state;
        _filePages = file.Length >> PageLayout.PageShift;
        if (_filePages > 0)
            _mapping = (byte*)file.Map(Math.Max(_filePages << PageLayout.PageShift, Environment.SystemPageSize));
    }

    /// <summary>The state up to which the journal was applied.</summary>
    public StoreState State { get; set; }

    /// <summary>Whole pages that the file has.</summary>
    public long FilePages => _filePages;

    public override long TransactionId => State.TransactionId;

    public override bool IsWritable => false;

    public override long CatalogRoot
    {
        get => State.CatalogRoot;
        set => throw new InvalidOperationException("A store that is only looked at cannot be changed.");
    }

    public override byte* GetPage(long pageNumber)
    {
        if ((ulong)pageNumber >= (ulong)State.PageCount)
            throw Corrupt(pageNumber, null, $"a page refers to it, but the store has {State.PageCount} pages");
        if (_verified.Length <= pageNumber >> 6)
            Array.Resize(ref _verified, (int)((State.PageCount >> 6) + 1));
        var isNew = _overlay.TryGetValue(pageNumber, out var version);
        var page = isNew ? PageVersion.Page((PageVersion*)version) : _mapping + (pageNumber << PageLayout.PageShift);
        if ((_verified[pageNumber >> 6] & (1L << (int)(pageNumber & 63))) != 0)
            return page;
        if (!_faults.TryGetValue(pageNumber, out var fault))
        {
            fault = isNew
                ? PageChecksum.Check(page, pageNumber, ((PageVersion*)version)->PageCount) is { } bad ? $"after replay of the journal {bad}" : null
                : CheckFile(pageNumber);
            if (fault is null)
            {
                _verified[pageNumber >> 6] |= 1L << (int)(pageNumber & 63);
                return page;
            }
            if (_faults.Count < 1_000_000)
                _faults.Add(pageNumber, fault);
        }
        throw Corrupt(pageNumber, null, fault);
    }

    public override byte* GetWritablePage(long pageNumber) => throw new InvalidOperationException("A store that is only looked at cannot be changed.");

    public override byte* AllocateRun(int pageCount, PageType type, out long pageNumber) => throw new InvalidOperationException("A store that is only looked at cannot be changed.");

    public override void FreeRun(long pageNumber, int pageCount) => throw new InvalidOperationException("A store that is only looked at cannot be changed.");

    public override CorruptPageException Corrupt(long pageNumber, string? tree, string reason) => new(_file.Path, pageNumber, tree, reason);

    /// <summary>Whether the journal has the page, so that the data file's own does not count.</summary>
    public bool IsInJournal(long pageNumber) => _overlay.ContainsKey(pageNumber) || _freed.Contains(pageNumber);

    /// <summary>Applies a transaction's records in memory; the same rules as in recovery.</summary>
    /// <exception cref="JournalCorruptException">A record makes no sense.</exception>
    public void Apply(StoreState state, byte* records, byte* end, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var kind = records < end ? (PageVersionKind)(*records++) : PageVersionKind.Dropped;
            if (!PageDiff.ReadVarint(ref records, end, out var number) || !PageDiff.ReadVarint(ref records, end, out var pages)
                || number < 2 || pages < 1 || pages > PageLayout.PagesPerGroup || number + pages > state.PageCount || kind > PageVersionKind.Freed)
                throw Invalid(state, i);
            if (kind == PageVersionKind.Freed)
            {
                Drop(number);
                _freed.Add(number);
                continue;
            }
            var version = kind == PageVersionKind.New ? Fresh(number, (int)pages) : Existing(number, (int)pages);
            records = PageDiff.Apply(records, end, PageVersion.Page(version), pages << PageLayout.PageShift);
            if (records == null)
                throw Invalid(state, i);
        }
        State = state;
    }

    /// <summary>Forgets all that was applied.</summary>
    public void Reset(StoreState state)
    {
        foreach (var version in _overlay.Values)
            _scratch.Return((PageVersion*)version);
        _overlay.Clear();
        _freed.Clear();
        State = state;
    }

    /// <summary>The newest transaction that a sound page of the data file bears: those of the last flush lie there.</summary>
    public long NewestInFile()
    {
        var newest = 0L;
        for (var number = 2L; number < _filePages; number++)
        {
            var read = _file.Read(number << PageLayout.PageShift, _chunk.AsSpan(0, PageLayout.HeaderSize));
            fixed (byte* header = _chunk)
            {
                if (read == PageLayout.HeaderSize && PageLayout.Type(header) is >= PageType.Allocation and <= PageType.Overflow && PageLayout.Number(header) == number
                    && PageLayout.Transaction(header) > newest && CheckFile(number) is null)
                    newest = PageLayout.Transaction(_mapping + (number << PageLayout.PageShift));
            }
        }
        return newest;
    }

    public void Dispose()
    {
        foreach (var version in _overlay.Values)
            _scratch.Return((PageVersion*)version);
        _overlay.Clear();
        _scratch.Dispose();
    }

    private PageVersion* Existing(long number, int pages)
    {
        if (_overlay.TryGetValue(number, out var known) && ((PageVersion*)known)->PageCount == pages)
            return (PageVersion*)known;
        var version = Fresh(number, pages);
        try
        {
            for (var done = 0L; done < (long)pages << PageLayout.PageShift; done += ChunkBytes)
            {
                var target = new Span<byte>(PageVersion.Page(version) + done, (int)Math.Min(ChunkBytes, ((long)pages << PageLayout.PageShift) - done));
                _file.Read((number << PageLayout.PageShift) + done, target);
            }
        }
        catch (IOException)
        {
            // What could not be read stays zeros, and the page's checksum tells whether the journal has all of it.
        }
        return version;
    }

    private PageVersion* Fresh(long number, int pages)
    {
        Drop(number);
        _freed.Remove(number);
        var version = _scratch.Rent(pages, PageVersionKind.New);
        version->PageNumber = number;
        NativeMemory.Clear(PageVersion.Page(version), (nuint)pages << PageLayout.PageShift);
        _overlay[number] = (nint)version;
        return version;
    }

    private void Drop(long number)
    {
        if (_overlay.Remove(number, out var version))
            _scratch.Return((PageVersion*)version);
    }

    /// <summary>Reads a page or run through the file first, since a failed read through the mapping would end the process.</summary>
    private string? CheckFile(long number)
    {
        if (number >= _filePages)
            return $"the file ends before it, at {_file.Length} bytes";
        try
        {
            _file.Read(number << PageLayout.PageShift, _chunk.AsSpan(0, PageLayout.PageSize));
            fixed (byte* header = _chunk)
            {
                if (PageLayout.Type(header) == PageType.Overflow && PageLayout.Overflow(header) > PageLayout.BodySize)
                {
                    var pages = PageLayout.PagesForOverflow(PageLayout.Overflow(header));
                    var end = Math.Min(_filePages, number + pages) << PageLayout.PageShift;
                    for (var at = (number + 1) << PageLayout.PageShift; at < end; at += ChunkBytes)
                        _file.Read(at, _chunk.AsSpan(0, (int)Math.Min(ChunkBytes, end - at)));
                }
            }
        }
        catch (IOException e)
        {
            return $"it cannot be read: {e.Message.TrimEnd('.')}";
        }
        return PageChecksum.Check(_mapping + (number << PageLayout.PageShift), number, _filePages - number);
    }

    private static JournalCorruptException Invalid(StoreState state, int record) =>
        new($"journal file {state.Journal.File}", state.Journal.Offset, state.TransactionId, $"record {record} of the entry that ends there is not valid");
}
