using Xunit;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>One transaction over <see cref="MemoryPages"/>.</summary>
internal sealed unsafe class MemoryAccess(
    MemoryPages store,
    long transaction,
    bool writable,
    MemoryPages.PageVersion[] pages
) : PageAccess
{
    private readonly Dictionary<long, MemoryPages.PageVersion> _writable = [];
    private readonly Stack<long> _free = [];
    private long _catalogRoot = store.CatalogRoot;

    public long Next { get; private set; } = store.Next;

    public MemoryPages.PageVersion[] Pages { get; private set; } = pages;

    public IEnumerable<MemoryPages.PageVersion> Written => _writable.Values;

    public override long TransactionId => transaction;

    public override bool IsWritable => writable;

    public override long CatalogRoot
    {
        get => _catalogRoot;
        set => _catalogRoot = writable ? value : throw new InvalidOperationException("read-only");
    }

    public override byte* GetPage(long pageNumber)
    {
        if (pageNumber <= 0 || pageNumber >= Pages.Length || Pages[pageNumber].Pages == 0)
            throw Corrupt(pageNumber, null, "it is not in use");
        return (byte*)Pages[pageNumber].Pointer;
    }

    public override byte* GetWritablePage(long pageNumber)
    {
        Assert.True(writable);
        var old = GetPage(pageNumber);
        if (_writable.ContainsKey(pageNumber))
            return old;
        var version = new MemoryPages.PageVersion(store.NewBlock(Pages[pageNumber].Pages), Pages[pageNumber].Pages);
        Buffer.MemoryCopy(old, (void*)version.Pointer, version.Pages * 8192L, version.Pages * 8192L);
        Pages[pageNumber] = _writable[pageNumber] = version;
        return (byte*)version.Pointer;
    }

    public override byte* AllocateRun(int pageCount, PageType type, out long pageNumber)
    {
        Assert.True(writable);
        if (pageCount != 1 || !_free.TryPop(out pageNumber))
        {
            pageNumber = Next;
            Next += pageCount;
            if (Next > Pages.Length)
            {
                var grown = new MemoryPages.PageVersion[Math.Max(Next, Pages.Length * 2L)];
                Pages.CopyTo(grown, 0);
                Pages = grown;
            }
        }

        Assert.Equal(0, Pages[pageNumber].Pages);
        var version = new MemoryPages.PageVersion(store.NewBlock(pageCount), pageCount);
        Pages[pageNumber] = _writable[pageNumber] = version;
        var page = (byte*)version.Pointer;
        PageLayout.Type(page) = type;
        PageLayout.Number(page) = pageNumber;
        PageLayout.Transaction(page) = transaction;
        return page;
    }

    public override void FreeRun(long pageNumber, int pageCount)
    {
        Assert.True(writable);
        Assert.Equal(pageCount, Pages[pageNumber].Pages);
        if (_writable.Remove(pageNumber, out var version))
            new Span<byte>((void*)version.Pointer, version.Pages * 8192).Fill(0xDD);
        Pages[pageNumber] = default;
        for (var i = 0; i < pageCount; i++)
            _free.Push(pageNumber + i);
    }

    public override CorruptPageException Corrupt(long pageNumber, string? tree, string reason) =>
        new("memory", pageNumber, tree, reason);
}
