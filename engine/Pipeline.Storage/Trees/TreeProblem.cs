namespace Pipeline.Storage;

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
