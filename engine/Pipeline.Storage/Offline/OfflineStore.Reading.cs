using System.Text;

namespace Pipeline.Storage;

/// <summary>Takes an entry of a tree; the spans are valid during the call.</summary>
public delegate void OfflineEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

public sealed unsafe partial class OfflineStore
{
    private Dictionary<string, TreeState>? _trees;

    /// <summary>The names of the trees whose entries in the catalog can be read, in the order of their bytes.</summary>
    public IReadOnlyList<string> TreeNames() => [.. Trees().Keys];

    /// <summary>Reads all readable entries of a tree, in key order, and reports the unreadable ranges.</summary>
    /// <param name="tree">The tree's name; if there is no such tree, there is nothing to read.</param>
    /// <param name="entry">Takes each entry.</param>
    /// <param name="lost">Takes each range of keys behind a damaged page.</param>
    /// <param name="ct">Stops the scan.</param>
    public void Scan(string tree, OfflineEntry entry, Action<LostKeys> lost, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(entry);
        ArgumentNullException.ThrowIfNull(lost);
        if (!Trees().TryGetValue(tree, out var state))
            return;
        var walk = new LeafWalk(
            _pages,
            [],
            leaf =>
            {
                var page = leaf.Page(_pages);
                for (var i = 0; i < page.Count; i++)
                {
                    var key = LeafWalk.KeyOf(page, i);
                    if (LeafWalk.TryValue(_pages, page, i, out var value, out var run, out var reason))
                        entry(key, value);
                    else
                        lost(new LostKeys(tree, KeyRange.Of(key), run, reason));
                }
            }
        );
        walk.Walk(state.Root, new KeyRange(null, null), ct);
        foreach (var gap in walk.Gaps)
            lost(new LostKeys(tree, gap.Range, gap.Page, gap.Reason));
    }

    /// <summary>
    /// Opens a tree for single reads, which throw <see cref="CorruptPageException"/> on a damaged page; null if there
    /// is no such tree.
    /// </summary>
    public Tree? OpenTree(string name) =>
        Trees().TryGetValue(name, out var state) ? new Tree(_pages, name, state) : null;

    internal Dictionary<string, TreeState> Trees()
    {
        if (_trees is not null)
            return _trees;
        _trees = new Dictionary<string, TreeState>(StringComparer.Ordinal);
        if (_pages.State.CatalogRoot == 0)
            return _trees;
        var walk = new LeafWalk(_pages, []);
        walk.Walk(_pages.State.CatalogRoot, new KeyRange(null, null), default);
        AddTrees(walk.Leaves);
        return _trees;
    }

    internal void AddTrees(IEnumerable<FoundLeaf> catalogLeaves)
    {
        foreach (var leaf in catalogLeaves)
        {
            var page = leaf.Page(_pages);
            for (var i = 0; i < page.Count; i++)
            {
                if (
                    LeafWalk.TryValue(_pages, page, i, out var value, out _, out _)
                    && TreeState.TryRead(value, out var tree)
                )
                {
                    _trees!.TryAdd(Encoding.UTF8.GetString(LeafWalk.KeyOf(page, i)), tree);
                }
            }
        }
    }
}
