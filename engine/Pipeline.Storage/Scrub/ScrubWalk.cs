using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Visits all pages in use, a bounded part in each snapshot, and verifies those that the snapshot takes from the data
/// file. Trees are walked by key: whatever transactions do between two snapshots, the walk visits every page that stays
/// in use. It reads pages from the file into private buffers. It avoids the mapping, where a failed read would end the
/// process, and the cache of decrypted pages.
/// </summary>
/// <remarks>
/// Why there is no false alarm: the flush writes a page from a version in the table, and removes the version only after
/// the write. So if the newest snapshot finds no version and no flush is running, the file holds the current page. If a
/// step that ran during flushes finds a problem, it is repeated without flushes, and only problems found then are
/// reported.
/// </remarks>
internal sealed unsafe class ScrubWalk(StoreContext store, long stepBytes) : IDisposable
{
    private const int MaxDamaged = 1_000;
    private const string Allocation = "(allocation)";
    private static readonly KeyRange All = new(null, null);
    private readonly NativeBuffer _levels = new(wipe: store.Cipher is not null);
    private readonly NativeBuffer _run = new(wipe: store.Cipher is not null);
    private readonly HashSet<long> _believed = [];
    private readonly List<DamagedPage> _suspects = [];
    private long _snapshot;
    private long _budget;

    /// <summary>
    /// The progress and the place to continue: allocation pages from one on, or a tree, the catalog first, from a key
    /// on.
    /// </summary>
    internal readonly record struct Place(long Map, int Tree, byte[] Key, long Pages, long PagesInMemory, long Bytes);

    /// <summary>The current place. Setting it back undoes everything since, except for confirmed problems.</summary>
    public Place At { get; set; } = new(PageLayout.AllocationPageInGroup, 0, [], 0, 0, 0);

    /// <summary>The trees, the catalog first; complete once the walk has passed the catalog.</summary>
    public List<string> Trees { get; } = [TreeCatalog.CatalogName];

    /// <summary>Damaged pages, the first ones.</summary>
    public List<DamagedPage> Damaged { get; } = [];

    /// <summary>How many are damaged.</summary>
    public long DamagedPages => _believed.Count;

    /// <summary>Whether the last step found something wrong.</summary>
    public bool IsSuspicious => _suspects.Count > 0;

    /// <summary>What the last step found wrong; valid until the next step.</summary>
    public IReadOnlyList<DamagedPage> Suspects => _suspects;

    /// <summary>Believes what the last step has found.</summary>
    public void Believe()
    {
        foreach (var damage in _suspects)
            Add(damage);
    }

    /// <summary>Notes a damaged page, once.</summary>
    public void Add(DamagedPage damage)
    {
        if (_believed.Count < MaxDamaged * 1_000 && _believed.Add(damage.Page) && Damaged.Count < MaxDamaged)
            Damaged.Add(damage);
    }

    /// <summary>Goes on in a snapshot; false when all is done.</summary>
    public bool Step(ReadTransaction read, CancellationToken ct)
    {
        _suspects.Clear();
        var pages = (ReaderPages)read.Pages;
        _snapshot = pages.TransactionId;
        _levels.Ensure(Storage.Tree.MaxDepth << PageLayout.PageShift);
        _budget = At.Bytes + stepBytes;
        for (; At.Map < pages.State.PageCount; At = At with { Map = At.Map + PageLayout.PagesPerGroup })
        {
            if (IsSpent(ct))
                return true;
            var reason =
                Read(At.Map, 0, isNew: true, out var map)
                ?? (
                    PageLayout.Type(map) == PageType.Allocation
                        ? null
                        : $"an allocation page is expected, its type is {(int)PageLayout.Type(map)}"
                );
            var first = At.Map - PageLayout.AllocationPageInGroup;
            if (reason is not null)
            {
                Suspect(
                    At.Map,
                    Allocation,
                    $"{reason}; which of the pages {first} to {first + PageLayout.PagesPerGroup - 1} are free is not known"
                );
            }
        }
        while (At.Tree < Trees.Count)
        {
            if (IsSpent(ct) || (RootOf(read) is { } root && !Walk(root, All, 0, ct)))
                return true;
            if (At.Tree == 0 && Trees.Count == 1 && pages.CatalogRoot != 0)
                ReadNames(pages, ct);
            At = At with { Tree = At.Tree + 1, Key = [] };
        }
        return false;
    }

    public void Dispose()
    {
        _levels.Dispose();
        _run.Dispose();
    }

    private void Suspect(long page, string tree, string reason, KeyRange? affected = null) =>
        _suspects.Add(new DamagedPage(store.Data.Path, page, tree, reason, affected));

    private bool IsSpent(CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        return At.Bytes >= _budget;
    }

    private void ReadNames(ReaderPages pages, CancellationToken ct)
    {
        var walk = new LeafWalk(pages, []);
        walk.Walk(pages.CatalogRoot, All, ct);
        foreach (var leaf in walk.Leaves)
        {
            var page = leaf.Page(pages);
            for (var i = 0; i < page.Count; i++)
                Trees.Add(Encoding.UTF8.GetString(LeafWalk.KeyOf(page, i)));
        }
    }

    /// <summary>The root in this snapshot; null where the tree is gone or nothing leads to it.</summary>
    private long? RootOf(ReadTransaction read)
    {
        if (At.Tree == 0)
            return read.Pages.CatalogRoot == 0 ? null : read.Pages.CatalogRoot;
        try
        {
            return read.TryOpenTree(Trees[At.Tree], out var tree) ? tree.State.Root : null;
        }
        catch (CorruptPageException e)
        {
            Suspect(e.Page, TreeCatalog.CatalogName, $"{e.Reason}; tree '{Trees[At.Tree]}' cannot be opened");
            return null;
        }
    }

    /// <summary>
    /// What is under a page, from <see cref="At"/> on; false, with the key to go on from, when the step is at its end.
    /// </summary>
    private bool Walk(long number, KeyRange range, int level, CancellationToken ct)
    {
        // A page that a former step has been in was counted there.
        var isNew = At.Key.AsSpan().SequenceEqual(range.From);
        byte* at = null;
        var reason = level < Storage.Tree.MaxDepth ? Read(number, level, isNew, out at) : "it lies too deep";
        var page = new TreePage(at);
        if (
            reason is not null
            || !TreePageCheck.IsSound(page, number, out reason)
            || (page.Type == PageType.Branch && page.Count == 0)
        )
        {
            Suspect(number, Trees[At.Tree], reason.Length == 0 ? "a branch without children" : reason, range);
            return true;
        }
        if (page.IsLeaf)
            return Runs(page, ct);
        for (var i = page.ChildIndex(At.Key); i < page.Count; i++)
        {
            var from = i == 0 ? range.From : LeafWalk.KeyOf(page, i);
            var to = i + 1 < page.Count ? LeafWalk.KeyOf(page, i + 1) : range.Before;
            if (!Walk(page.Child(i), new KeyRange(from, to), level + 1, ct))
                return false;
            if (to is null)
                return true;
            At = At with { Key = to };
            if (i + 1 < page.Count && IsSpent(ct))
                return false;
        }
        return true;
    }

    /// <summary>The runs that a leaf refers to, from <see cref="At"/> on.</summary>
    private bool Runs(TreePage leaf, CancellationToken ct)
    {
        for (var i = leaf.LowerBound(At.Key, 0, out _); i < leaf.Count; i++)
        {
            if (!leaf.IsOverflow(i))
                continue;
            var key = LeafWalk.KeyOf(leaf, i);
            if (IsSpent(ct))
            {
                At = At with { Key = key };
                return false;
            }
            var run = leaf.OverflowRun(i, out var length);
            if (store.Table.Find(run, _snapshot) != null)
            {
                At = At with { PagesInMemory = At.PagesInMemory + PageLayout.PagesForOverflow(length) };
                continue;
            }
            _run.Trim(stepBytes);
            _run.Length = 0;
            var first = _run.Ensure((long)PageLayout.PagesForOverflow(length) << PageLayout.PageShift);
            var reason = ReadFile(run, PageLayout.PagesForOverflow(length), first, isNew: true);
            if (reason is null && (PageLayout.Type(first) != PageType.Overflow || PageLayout.Overflow(first) != length))
            {
                reason =
                    $"it must begin a run of {length} bytes; type {(int)PageLayout.Type(first)}, {PageLayout.Overflow(first)} bytes were found";
            }

            if (reason is not null)
                Suspect(run, Trees[At.Tree], reason, KeyRange.Of(key));
        }
        return true;
    }

    /// <summary>
    /// Reads the page as the snapshot has it, so that the walk can continue. Returns the problem if the page comes from
    /// the data file, or null.
    /// </summary>
    private string? Read(long number, int level, bool isNew, out byte* page)
    {
        var version = store.Table.Find(number, _snapshot);
        if (version != null)
        {
            At = At with { PagesInMemory = At.PagesInMemory + (isNew ? 1 : 0) };
            page = PageVersion.Page(version);
            return null;
        }
        page = _levels.Start + (level << PageLayout.PageShift);
        return ReadFile(number, 1, page, isNew);
    }

    private string? ReadFile(long number, int pages, byte* output, bool isNew)
    {
        At = At with
        {
            Pages = At.Pages + (isNew ? pages : 0),
            Bytes = At.Bytes + ((long)pages << PageLayout.PageShift),
        };
        return number >= 0 && number + pages <= store.Data.MaxPages
            ? store.Data.ReadVerified(number, pages, output)
            : "a page refers to it, but it is beyond the largest page number";
    }
}
