using System.Globalization;

namespace Pipeline.Storage;

/// <summary>Finds the trees of a damaged store and their leaves.</summary>
internal sealed unsafe class SalvageSearch(
    OfflineStore store,
    IReadOnlyList<string> knownNames,
    IProgress<(string Stage, long Done)>? progress
)
{
    private static readonly KeyRange All = new(null, null);
    private readonly OfflinePages _pages = store.Pages;
    private readonly HashSet<long> _seen = [];
    private readonly Dictionary<string, SalvageTree> _trees = new(StringComparer.Ordinal);
    private OrphanPages? _orphans;

    public IEnumerable<SalvageTree> Trees => _trees.Values;

    public IReadOnlyList<LostKeys> CatalogLost { get; private set; } = [];

    /// <summary>Sound pages in use that fit no tree.</summary>
    public List<long> Unplaced { get; } = [];

    public IReadOnlyList<long> Uncertain => _orphans?.Uncertain ?? [];

    /// <summary>Leaves of transactions beyond the last one in the journal that can be read.</summary>
    public long NewerLeaves { get; private set; }

    public void Run(CancellationToken ct)
    {
        var catalog = new SalvageTree(_pages, TreeCatalog.CatalogName, true, null);
        if (store.HasState && _pages.State.CatalogRoot != 0)
            Walk(catalog, _pages.State.CatalogRoot, ct);
        else if (!store.HasState)
            catalog.Gaps.Add(new LeafGap(0, "the meta pages that name its root are lost", All));
        AddTrees(ct);
        if (catalog.Gaps.Count > 0 || _trees.Values.Any(t => t.Gaps.Count > 0))
        {
            _orphans = OrphanPages.Find(_pages, _seen, progress is null ? null : new PageProgress(progress), ct);
            AdoptCatalog(catalog, ct);
            foreach (var tree in _trees.Values.Where(t => t.Gaps.Count > 0))
                Adopt(tree, _orphans.RootsOf(tree.Tag, _pages, _seen), ct);
            AdoptUntagged(ct);
            if (catalog.Gaps.Count > 0)
                AdoptUnknownTrees(ct);
            foreach (var tag in _orphans.Tags)
                Unplaced.AddRange(_orphans.RootsOf(tag, _pages, _seen));
        }
        CatalogLost = catalog.Lost();
        NewerLeaves = _trees.Values.Sum(t =>
            t.Leaves.LongCount(l =>
                PageLayout.Transaction(l.Page(_pages).Pointer) > store.Transaction && store.HasState
            )
        );
    }

    private void Walk(SalvageTree tree, long root, CancellationToken ct)
    {
        var walk = new LeafWalk(_pages, _seen);
        walk.Walk(root, All, ct);
        tree.Leaves.AddRange(walk.Leaves);
        tree.Gaps.AddRange(walk.Gaps);
        progress?.Report(("pages", _seen.Count));
    }

    /// <summary>Walks the trees that the catalog names, and that are not known yet.</summary>
    private void AddTrees(CancellationToken ct)
    {
        foreach (var (name, state) in store.Trees())
        {
            if (_trees.ContainsKey(name))
                continue;
            var tree = new SalvageTree(_pages, name, true, state.Count);
            _trees.Add(name, tree);
            Walk(tree, state.Root, ct);
        }
    }

    private void AdoptCatalog(SalvageTree catalog, CancellationToken ct)
    {
        if (catalog.Gaps.Count == 0)
            return;
        Adopt(catalog, _orphans!.RootsOf(catalog.Tag, _pages, _seen), ct);
        store.AddTrees(catalog.Leaves);
        AddTrees(ct);
    }

    private void Adopt(SalvageTree tree, IEnumerable<long> roots, CancellationToken ct)
    {
        foreach (var root in roots)
        {
            if (_seen.Contains(root))
                continue;
            var trial = new HashSet<long>(0);
            var walk = new LeafWalk(_pages, trial);
            walk.Walk(root, All, ct);
            if (
                walk.Leaves.Count > 0
                && tree.Fits(tree.First(walk.Leaves[0]), tree.Last(walk.Leaves[^1]))
                && !trial.Overlaps(_seen)
            )
            {
                _seen.UnionWith(trial);
                tree.Adopt(walk);
            }
        }
    }

    /// <summary>
    /// Pages of before tags were written belong to the one tree in which their keys fit, if there is just one.
    /// </summary>
    private void AdoptUntagged(CancellationToken ct)
    {
        foreach (var root in _orphans!.RootsOf(0, _pages, _seen))
        {
            var walk = new LeafWalk(_pages, new HashSet<long>(0));
            walk.Walk(root, All, ct);
            if (walk.Leaves.Count == 0)
                continue;
            var (first, last) = (
                LeafWalk.KeyOf(walk.Leaves[0].Page(_pages), 0),
                walk.Leaves[^1].Page(_pages) is var page ? LeafWalk.KeyOf(page, page.Count - 1) : []
            );
            var fitting = _trees.Values.Where(t => t.Gaps.Count > 0 && t.Fits(first, last)).Take(2).ToList();
            if (fitting.Count == 1)
                Adopt(fitting[0], [root], ct);
        }
    }

    /// <summary>
    /// Trees whose entries in the catalog are lost: pages with the same tag belong together, and a known name with that
    /// tag is theirs.
    /// </summary>
    private void AdoptUnknownTrees(CancellationToken ct)
    {
        foreach (var tag in _orphans!.Tags.Where(t => t != 0).ToList())
        {
            var roots = _orphans.RootsOf(tag, _pages, _seen);
            if (roots.Count == 0 || _trees.Values.Any(t => t.Tag == tag) || tag == TreeTag.Of(TreeCatalog.CatalogName))
                continue;
            var names = knownNames.Where(n => TreeTag.Of(n) == tag && !_trees.ContainsKey(n)).Take(2).ToList();
            var name = names.Count == 1 ? names[0] : string.Create(CultureInfo.InvariantCulture, $"salvaged/{tag:x4}");
            var tree = new SalvageTree(_pages, name, names.Count == 1, null);
            tree.Gaps.Add(new LeafGap(0, "the catalog's entry of the tree is lost", All));
            _trees.Add(name, tree);
            Adopt(tree, roots, ct);
        }
    }

    private sealed class PageProgress(IProgress<(string Stage, long Done)> progress) : IProgress<long>
    {
        public void Report(long value) => progress.Report(("all pages", value));
    }
}
