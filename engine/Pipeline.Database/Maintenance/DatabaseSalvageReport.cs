using Pipeline.Storage;

namespace Pipeline.Database.Maintenance;

/// <summary>What a salvage of a database copied and what is lost.</summary>
/// <param name="Storage">What was read, and lost, of each tree.</param>
/// <param name="Documents">Documents in the new database.</param>
/// <param name="Tombstones">Tombstones in the new database.</param>
/// <param name="LastPosition">The new database's last position, not less than the damaged one's as far as that can be read.</param>
/// <param name="LostDocuments">Each document of which something is left, but not its record.</param>
/// <param name="Notes">What else was done, or is worth knowing.</param>
public sealed record DatabaseSalvageReport(
    SalvageReport Storage, long Documents, long Tombstones, long LastPosition, IReadOnlyList<LostDocument> LostDocuments, IReadOnlyList<string> Notes)
{
    /// <summary>Whether nothing that users stored is lost: no document, state or identity. What is derived from documents was made anew.</summary>
    public bool IsComplete => LostDocuments.Count == 0
        && !Storage.StoreProblems.Any(p => p.IsLoss)
        && Storage.UnplacedPages.Count == 0
        && Storage.UncertainPages.Count == 0
        && Storage.Trees.All(t => IsDerived(t.Name) || (t.IsNameKnown && t.Lost.Count == 0 && t.LostCount == 0));

    private static bool IsDerived(string tree) =>
        tree == DatabaseTrees.Ids || tree.StartsWith("collection/", StringComparison.Ordinal) || tree.StartsWith("tombstones/", StringComparison.Ordinal);
}
