namespace Pipeline.Storage;

/// <summary>The result of a walk over a whole tree.</summary>
public sealed class TreeReport
{
    internal TreeReport(string tree) => Tree = tree;

    /// <summary>The tree's name.</summary>
    public string Tree { get; }

    /// <summary>Keys met.</summary>
    public long Count { get; internal set; }

    /// <summary>Levels met.</summary>
    public int Depth { get; internal set; }

    /// <summary>Leaf pages met.</summary>
    public long LeafPages { get; internal set; }

    /// <summary>Branch pages met.</summary>
    public long BranchPages { get; internal set; }

    /// <summary>Pages of large values met.</summary>
    public long OverflowPages { get; internal set; }

    /// <summary>Bytes in use on leaf pages: prefix, slots and live entries.</summary>
    public long LeafBytes { get; internal set; }

    /// <summary>Bytes in use on branch pages.</summary>
    public long BranchBytes { get; internal set; }

    /// <summary>The share of the leaf pages' room that is in use, 0 to 1; 0 if there are none.</summary>
    public double LeafFill => LeafPages == 0 ? 0 : (double)LeafBytes / (LeafPages * TreePage.Capacity);

    /// <summary>
    /// The problems; empty if the tree is sound. At most 100 are kept; <see cref="ProblemCount"/> counts all.
    /// </summary>
    public IReadOnlyList<TreeProblem> Problems => Found;

    /// <summary>How many problems were found.</summary>
    public long ProblemCount { get; internal set; }

    internal List<TreeProblem> Found { get; } = [];

    /// <summary>Whether a page could not be read, so that not all of the tree was met.</summary>
    public bool IsPartial { get; internal set; }

    internal void Add(long page, string reason, KeyRange? affected = null)
    {
        ProblemCount++;
        IsPartial |= affected is not null;
        if (Found.Count < 100)
            Found.Add(new TreeProblem(Tree, page, reason) { Affected = affected });
    }
}

/// <summary>Something that a check found wrong in a tree.</summary>
/// <param name="Tree">The tree's name.</param>
/// <param name="Page">The page it was found in.</param>
/// <param name="Reason">The problem.</param>
public sealed record TreeProblem(string Tree, long Page, string Reason)
{
    /// <summary>The keys that cannot be read because of it; null if none are known to be affected.</summary>
    public KeyRange? Affected { get; init; }

    /// <inheritdoc/>
    public override string ToString() =>
        $"tree '{Tree}', page {Page}: {Reason}{(Affected is null ? "" : $"; {Affected} cannot be read")}";
}
