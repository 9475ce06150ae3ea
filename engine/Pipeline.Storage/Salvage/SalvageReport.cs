namespace Pipeline.Storage;

/// <summary>The result of a salvage: copied and lost data.</summary>
/// <param name="Transaction">The last transaction that could be read.</param>
/// <param name="StoreProblems">Damage to meta pages and journal, and its consequences.</param>
/// <param name="Notes">Other findings.</param>
/// <param name="Trees">Each tree, in the order of names.</param>
/// <param name="CatalogLost">Where the catalog of trees is damaged.</param>
/// <param name="UnplacedPages">Sound pages of entries that fit no tree, not copied.</param>
/// <param name="UncertainPages">
/// Sound pages of entries that were not copied, because neither a sound parent nor a sound allocation page shows
/// whether they are still in use.
/// </param>
public sealed record SalvageReport(
    long Transaction,
    IReadOnlyList<StorageProblem> StoreProblems,
    IReadOnlyList<string> Notes,
    IReadOnlyList<SalvagedTree> Trees,
    IReadOnlyList<LostKeys> CatalogLost,
    IReadOnlyList<long> UnplacedPages,
    IReadOnlyList<long> UncertainPages
)
{
    /// <summary>Whether nothing is lost.</summary>
    public bool IsComplete =>
        !StoreProblems.Any(p => p.IsLoss)
        && Trees.All(t => t.Lost.Count == 0 && t.LostCount == 0)
        && UnplacedPages.Count == 0
        && UncertainPages.Count == 0
        && Trees.All(t => t.IsNameKnown);
}
