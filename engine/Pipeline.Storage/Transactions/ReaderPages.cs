using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>The pages of a snapshot.</summary>
internal sealed unsafe class ReaderPages : PageAccess
{
    /// <summary><see cref="Forget"/> keeps at most this many bytes of decrypted pages that are not shared.</summary>
    private const long MaxOwnBytes = 8 << 20;
    private readonly PageTable _table;
    private readonly DataFile _data;
    private StoreState _state;
    private long _snapshot;
    private long _pageCount;
    private PrivatePages? _own;
    private Expiry? _expired;

    private sealed record Expiry(StoreState State, ReaderExpiredException Error);

    public ReaderPages(PageTable table, DataFile data, StoreState state)
    {
        (_table, _data) = (table, data);
        MoveTo(state);
    }

    /// <summary>The snapshot's state.</summary>
    public StoreState State => _state;

    /// <summary>Who reads.</summary>
    public string Owner { get; init; } = "";

    /// <summary>Makes the reader's next page an error, if it is still on the snapshot. From any thread.</summary>
    public bool Expire(StoreState state, ReaderExpiredException error)
    {
        if (!ReferenceEquals(Volatile.Read(ref _state), state) || _expired?.State == state)
            return false;
        Volatile.Write(ref _expired, new Expiry(state, error));
        // No number is less than 0, so that the check which each page takes anyhow leads to the error.
        Volatile.Write(ref _pageCount, 0);
        return true;
    }

    /// <summary>Shows another snapshot from now on.</summary>
    [MemberNotNull(nameof(_state))]
    public void MoveTo(StoreState state)
    {
        _expired = null;
        _state = state;
        _snapshot = state.TransactionId;
        _pageCount = state.PageCount;
    }

    public override long TransactionId => _snapshot;

    public override bool IsWritable => false;

    public override long CatalogRoot
    {
        get => _state.CatalogRoot;
        set => throw ReadOnly();
    }

    public override byte* GetPage(long pageNumber)
    {
        if ((ulong)pageNumber >= (ulong)_pageCount)
            CheckRange(pageNumber);
        var version = _table.Find(pageNumber, _snapshot);
        if (version == null)
            return _data.Get(pageNumber, _pageCount, ref _own);
        if (version->Kind == PageVersionKind.Freed)
            throw Corrupt(pageNumber, null, "it is free, but a page refers to it");
        return PageVersion.Page(version);
    }

    public override byte* GetWritablePage(long pageNumber) => throw ReadOnly();

    public override byte* AllocateRun(int pageCount, PageType type, out long pageNumber) => throw ReadOnly();

    public override void FreeRun(long pageNumber, int pageCount) => throw ReadOnly();

    public override CorruptPageException Corrupt(long pageNumber, string? tree, string reason) =>
        new(_data.Path, pageNumber, tree, reason);

    public override bool Forget()
    {
        if (_own is null || _own.Bytes <= MaxOwnBytes)
            return false;
        Release();
        return true;
    }

    public override void Release() => _own?.Dispose();

    private static InvalidOperationException ReadOnly() =>
        new("A read transaction cannot change the store; use StorageEnvironment.WriteAsync.");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CheckRange(long pageNumber)
    {
        if (Volatile.Read(ref _expired) is { } expired && ReferenceEquals(expired.State, _state))
            throw expired.Error;
        // A limit hit the previous snapshot just as it was released.
        Volatile.Write(ref _pageCount, _state.PageCount);
        if ((ulong)pageNumber >= (ulong)_pageCount)
            throw Corrupt(pageNumber, null, $"a page refers to it, but the store has {_pageCount} pages");
    }
}
