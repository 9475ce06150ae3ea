namespace Pipeline.Storage;

/// <summary>The result of a salvage for one tree.</summary>
/// <param name="Name">The name; where the catalog's entry is lost and no known name fits, a made one.</param>
/// <param name="IsNameKnown">Whether it is the tree's own name.</param>
/// <param name="Copied">Keys copied.</param>
/// <param name="Expected">Keys that the tree had; null where the catalog's entry is lost.</param>
/// <param name="Lost">Where keys are lost, in key order.</param>
public sealed record SalvagedTree(
    string Name,
    bool IsNameKnown,
    long Copied,
    long? Expected,
    IReadOnlyList<LostKeys> Lost
)
{
    /// <summary>How many keys are lost; null if unknown.</summary>
    public long? LostCount =>
        Expected is { } expected ? Math.Max(0, expected - Copied)
        : Lost.Count == 0 ? 0
        : null;
}
