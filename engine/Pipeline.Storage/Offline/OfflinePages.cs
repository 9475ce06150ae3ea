namespace Pipeline.Storage;

/// <summary>
/// The pages of a store that is not opened: the data file, with what the journal holds beyond it in memory. Never
/// writes. Not thread-safe.
/// </summary>
internal sealed unsafe class OfflinePages : PageAccess, IDisposable
{
    private const int MaxFaults = 1_000_000;
    private readonly OfflineFile _file;
    private readonly ScratchPool _scratch;
    private readonly long _plainLimit;
    private readonly Dictionary<long, string> _faults = [];
    private PageReplay _replay;
    private long[] _verified = [];

    public OfflinePages(OfflineFile file, StoreState state, long plainLimit)
    {
        (_file, _plainLimit, State) = (file, plainLimit, state);
        _scratch = new ScratchPool(0, wipe: true);
        _replay = NewReplay(state);
    }

    /// <summary>The state up to which the journal was applied.</summary>
    public StoreState State { get; set; }

    /// <summary>Whole pages that the file has.</summary>
    public long FilePages => _file.Pages;

    /// <summary>Bytes of decrypted pages of the file in memory.</summary>
    public long PlainBytes => _file.PlainBytes;

    public override long TransactionId => State.TransactionId;

    public override bool IsWritable => false;

    public override long CatalogRoot
    {
        get => State.CatalogRoot;
        set => throw ReadOnly();
    }

    public override byte* GetPage(long pageNumber)
    {
        if ((ulong)pageNumber >= (ulong)State.PageCount)
            throw Corrupt(pageNumber, null, $"a page refers to it, but the store has {State.PageCount} pages");
        if (_verified.Length <= pageNumber >> 6)
            Array.Resize(ref _verified, (int)((State.PageCount >> 6) + 1));
        var verified = (_verified[pageNumber >> 6] & (1L << (int)(pageNumber & 63))) != 0;
        if (!_faults.TryGetValue(pageNumber, out var fault))
        {
            var version = _replay.Find(pageNumber);
            var page = version == null ? _file.Get(pageNumber, verified, out fault) : PageVersion.Page(version);
            if (version != null && !verified)
                fault = CheckReplayed(version);
            if (fault is null)
            {
                _verified[pageNumber >> 6] |= 1L << (int)(pageNumber & 63);
                return page;
            }
            if (_faults.Count < MaxFaults)
                _faults.Add(pageNumber, fault);
        }
        throw Corrupt(pageNumber, null, fault);
    }

    public override bool Forget()
    {
        if (_file.PlainBytes <= _plainLimit)
            return false;
        _file.ForgetPlain();
        return true;
    }

    public override byte* GetWritablePage(long pageNumber) => throw ReadOnly();

    public override byte* AllocateRun(int pageCount, PageType type, out long pageNumber) => throw ReadOnly();

    public override void FreeRun(long pageNumber, int pageCount) => throw ReadOnly();

    public override CorruptPageException Corrupt(long pageNumber, string? tree, string reason) =>
        new(_file.Path, pageNumber, tree, reason);

    /// <summary>Whether the journal has the page, so that the data file's own does not count.</summary>
    public bool IsInJournal(long pageNumber) => _replay.Has(pageNumber);

    /// <summary>Applies a transaction's records in memory, as recovery does.</summary>
    /// <exception cref="JournalCorruptException">A record makes no sense.</exception>
    public void Apply(StoreState state, byte* records, byte* end, int count)
    {
        _replay.Apply(state, records, end, count);
        State = state;
    }

    /// <summary>Forgets all that was applied.</summary>
    public void Reset(StoreState state)
    {
        _replay.Dispose();
        _replay = NewReplay(state);
        State = state;
    }

    /// <summary>The newest transaction in a sound page of the data file; the last flush wrote it.</summary>
    public long NewestInFile()
    {
        var newest = 0L;
        for (var number = 2L; number < _file.Pages; number++)
            newest = _file.LaterTransaction(number, newest);
        return newest;
    }

    public void Dispose()
    {
        _replay.Dispose();
        _scratch.Dispose();
        _file.Dispose();
    }

    private PageReplay NewReplay(StoreState state) => new(_scratch, _file.TryCopy, state.PageCount);

    private string? CheckReplayed(PageVersion* version) =>
        _replay.IsUnreadable(version->PageNumber)
            ? "the journal has only what changed in it, and it cannot be decrypted: it was altered, or belongs elsewhere"
        : PageChecksum.Check(PageVersion.Page(version), version->PageNumber, version->PageCount) is { } bad
            ? $"after replay of the journal {bad}"
        : null;

    private static InvalidOperationException ReadOnly() => new("A store opened for inspection cannot be changed.");
}
