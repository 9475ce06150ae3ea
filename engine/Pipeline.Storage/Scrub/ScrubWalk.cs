using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Goes through all pages in use, a bounded part in each snapshot, and verifies those that the snapshot takes from the data file. Trees are walked by
/// key: whatever transactions do between two snapshots, a page that stays in use is met. Pages are read from the file into buffers of the
/// walk's own, neither through the mapping, where a read that fails would end the process, nor into the cache of decrypted pages.
/// </summary>
/// <remarks>
/// Why there is no false alarm: the flush writes a page only from a version that is in the table, and takes it from there after the write; and none
/// that is newer than an open snapshot. So where a snapshot finds no version in the table, what lies in the file is complete and stays.
/// </remarks>
internal sealed unsafe class ScrubWalk(StoreContext store, long stepBytes) : IDisposable
{
    private const int MostDamaged = 1_000;
    private const string Allocation = "(allocation)";
    private static readonly KeyRange All = new(null, null);
    private readonly NativeBuffer _levels = new(wipe: store.Cipher is not null);
    private readonly NativeBuffer _run = new(wipe: store.Cipher is not null);
    private readonly HashSet<long> _seenDamaged = [];
    private readonly Queue<string> _trees = new();
    private long _snapshot;
    private long _budget;
    private long _map = PageLayout.AllocationPageInGroup;
    private bool _catalogDone;
    private string? _tree;
    private byte[] _key = [];

    /// <summary>Pages verified, those of runs included.</summary>
    public long Pages { get; private set; }

    /// <summary>Pages that have a version in memory.</summary>
    public long PagesInMemory { get; private set; }

    /// <summary>Trees gone through.</summary>
    public int Trees { get; private set; }

    /// <summary>Damaged pages, the first ones.</summary>
    public List<DamagedPage> Damaged { get; } = [];

    /// <summary>How many are damaged.</summary>
    public long DamagedPages { get; private set; }

    /// <summary>Bytes read.</summary>
    public long Bytes { get; private set; }

    /// <summary>What it is in.</summary>
    public string Tree => _tree ?? (_catalogDone ? "" : Allocation);

    /// <summary>Notes a damaged page, once.</summary>
    public void Add(long page, string tree, string reason, KeyRange? affected = null)
    {
        if (_seenDamaged.Count >= MostDamaged * 1_000 || !_seenDamaged.Add(page))
            return;
        DamagedPages++;
        if (Damaged.Count < MostDamaged)
            Damaged.Add(new DamagedPage(store.Data.Path, page, tree, reason, affected));
    }

    /// <summary>Goes on in a snapshot; false when all is done.</summary>
    public bool Step(ReadTransaction read, CancellationToken ct)
    {
        var pages = (ReaderPages)read.Pages;
        _snapshot = pages.TransactionId;
        _levels.Ensure(Storage.Tree.MaxDepth << PageLayout.PageShift);
        _budget = Bytes + stepBytes;
        for (; _map < pages.State.PageCount; _map += PageLayout.PagesPerGroup)
        {
            if (IsSpent(ct))
                return true;
            var reason = Read(_map, 0, isNew: true, out var map) ?? (PageLayout.Type(map) == PageType.Allocation ? null : $"an allocation page is expected, its type is {(int)PageLayout.Type(map)}");
            if (reason is not null)
                Add(_map, Allocation, $"{reason}; which of the pages {_map - PageLayout.AllocationPageInGroup} to {_map - PageLayout.AllocationPageInGroup + PageLayout.PagesPerGroup - 1} are free is not known");
        }
        while (!IsSpent(ct))
        {
            if (_tree is null && !NextTree(pages, ct))
                return false;
            if (RootOf(read) is { } root && !Walk(root, All, 0, ct))
                return true;
            Trees++;
            (_tree, _key) = (null, []);
        }
        return true;
    }

    public void Dispose()
    {
        _levels.Dispose();
        _run.Dispose();
    }

    private bool IsSpent(CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        return Bytes >= _budget;
    }

    /// <summary>The catalog first, so that its own damage is known; then the trees that it names.</summary>
    private bool NextTree(ReaderPages pages, CancellationToken ct)
    {
        if (!_catalogDone)
        {
            (_tree, _catalogDone) = (TreeCatalog.CatalogName, true);
            return true;
        }
        if (Trees == 1 && pages.CatalogRoot != 0)
        {
            var walk = new LeafWalk(pages, []);
            walk.Walk(pages.CatalogRoot, All, ct);
            foreach (var leaf in walk.Leaves)
            {
                for (var i = 0; i < leaf.Page.Count; i++)
                    _trees.Enqueue(Encoding.UTF8.GetString(LeafWalk.KeyOf(leaf.Page, i)));
            }
        }
        return _trees.TryDequeue(out _tree);
    }

    /// <summary>The root in this snapshot; null where the tree is gone or nothing leads to it.</summary>
    private long? RootOf(ReadTransaction read)
    {
        if (_tree == TreeCatalog.CatalogName)
            return read.Pages.CatalogRoot == 0 ? null : read.Pages.CatalogRoot;
        try
        {
            return read.TryOpenTree(_tree!, out var tree) ? tree.State.Root : null;
        }
        catch (CorruptPageException e)
        {
            Add(e.Page, TreeCatalog.CatalogName, $"{e.Reason}; tree '{_tree}' cannot be opened");
            return null;
        }
    }

    /// <summary>What is under a page, from <see cref="_key"/> on; false, with the key to go on from, when the step is at its end.</summary>
    private bool Walk(long number, KeyRange range, int level, CancellationToken ct)
    {
        // A page that a former step has been in was counted there.
        var isNew = _key.AsSpan().SequenceEqual(range.From);
        byte* at = null;
        var reason = level < Storage.Tree.MaxDepth ? Read(number, level, isNew, out at) : "it lies too deep";
        var page = new TreePage(at);
        if (reason is not null || !TreePageCheck.IsSound(page, number, out reason) || (page.Type == PageType.Branch && page.Count == 0))
        {
            Add(number, _tree!, reason.Length == 0 ? "a branch without children" : reason, range);
            return true;
        }
        if (page.IsLeaf)
            return Runs(page, ct);
        for (var i = page.ChildIndex(_key); i < page.Count; i++)
        {
            var from = i == 0 ? range.From : LeafWalk.KeyOf(page, i);
            var to = i + 1 < page.Count ? LeafWalk.KeyOf(page, i + 1) : range.Before;
            if (!Walk(page.Child(i), new KeyRange(from, to), level + 1, ct))
                return false;
            if (to is null)
                return true;
            _key = to;
            if (i + 1 < page.Count && IsSpent(ct))
                return false;
        }
        return true;
    }

    /// <summary>The runs that a leaf refers to, from <see cref="_key"/> on.</summary>
    private bool Runs(TreePage leaf, CancellationToken ct)
    {
        for (var i = leaf.LowerBound(_key, 0, out _); i < leaf.Count; i++)
        {
            if (!leaf.IsOverflow(i))
                continue;
            var key = LeafWalk.KeyOf(leaf, i);
            if (IsSpent(ct))
            {
                _key = key;
                return false;
            }
            var run = leaf.OverflowRun(i, out var length);
            if (store.Table.Find(run, _snapshot) != null)
            {
                PagesInMemory += PageLayout.PagesForOverflow(length);
                continue;
            }
            _run.Trim(stepBytes);
            _run.Length = 0;
            var first = _run.Ensure((long)PageLayout.PagesForOverflow(length) << PageLayout.PageShift);
            var reason = ReadFile(run, PageLayout.PagesForOverflow(length), first);
            if (reason is null && (PageLayout.Type(first) != PageType.Overflow || PageLayout.Overflow(first) != length))
                reason = $"it must begin a run of {length} bytes; type {(int)PageLayout.Type(first)}, {PageLayout.Overflow(first)} bytes were found";
            if (reason is not null)
                Add(run, _tree!, reason, KeyRange.Of(key));
        }
        return true;
    }

    /// <summary>The page as the snapshot has it, for the walk to go on with; what is wrong with it where that is the data file's.</summary>
    private string? Read(long number, int level, bool isNew, out byte* page)
    {
        var version = store.Table.Find(number, _snapshot);
        if (version != null)
        {
            PagesInMemory += isNew ? 1 : 0;
            page = PageVersion.Page(version);
            return null;
        }
        page = _levels.Start + (level << PageLayout.PageShift);
        var reason = ReadFile(number, 1, page);
        Pages -= isNew ? 0 : 1;
        return reason;
    }

    private string? ReadFile(long number, int pages, byte* output)
    {
        Pages += pages;
        Bytes += (long)pages << PageLayout.PageShift;
        return number >= 0 && number + pages <= store.Data.MaxPages ? store.Data.ReadVerified(number, pages, output) : "a page refers to it, but no store has so many";
    }
}
