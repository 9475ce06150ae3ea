using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>The data that a salvage of a database copied and lost.</summary>
/// <param name="Storage">The keys read and lost in each tree.</param>
/// <param name="Documents">Documents in the new database.</param>
/// <param name="Tombstones">Tombstones in the new database.</param>
/// <param name="LastPosition">
/// The new database's last position, at least that of the damaged one, if it can be read.
/// </param>
/// <param name="LostDocuments">Each document whose record is lost, if other traces of it remain.</param>
/// <param name="Notes">Other steps taken, and facts worth knowing.</param>
public sealed record DatabaseSalvageReport(
    SalvageReport Storage,
    long Documents,
    long Tombstones,
    long LastPosition,
    IReadOnlyList<LostDocument> LostDocuments,
    IReadOnlyList<string> Notes
)
{
    /// <summary>
    /// Whether no user data is lost: no document, state or identity. Data derived from documents was rebuilt.
    /// </summary>
    public bool IsComplete =>
        LostDocuments.Count == 0
        && !Storage.StoreProblems.Any(p => p.IsLoss)
        && Storage.UnplacedPages.Count == 0
        && Storage.UncertainPages.Count == 0
        && Storage.Trees.All(t => IsDerived(t.Name) || (t.IsNameKnown && t.Lost.Count == 0 && t.LostCount == 0));

    private static bool IsDerived(string tree) =>
        tree == DatabaseTrees.Ids
        || tree.StartsWith("collection/", StringComparison.Ordinal)
        || tree.StartsWith("tombstones/", StringComparison.Ordinal);
}
