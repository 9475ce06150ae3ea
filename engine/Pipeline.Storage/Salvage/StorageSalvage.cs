using System.Globalization;

namespace Pipeline.Storage;

/// <summary>
/// Copies all that can be read of a damaged store into another one, and lists what is lost. Trees are walked past their damaged pages; what
/// lies behind a damaged root or branch, or a damaged catalog, is found again by looking through all pages that are in use, and put where its tag
/// and keys say that it belongs. Nothing is copied of which it is not certain that it was part of the last state that can be read.
/// </summary>
public static class StorageSalvage
{
    /// <summary>Copies it.</summary>
    /// <param name="damaged">The damaged store; nothing of it is changed.</param>
    /// <param name="target">The open store to copy into, which should be empty.</param>
    /// <param name="knownTrees">Names that trees may have, for where the catalog is damaged.</param>
    /// <param name="progress">Told how many pages were looked at and how many keys copied.</param>
    /// <param name="ct">Stops the salvage; what is copied stays.</param>
    /// <returns>What was copied and what is lost.</returns>
    /// <exception cref="StoreInUseException">A process has the damaged store open.</exception>
    /// <exception cref="FileNotFoundException">There is no data file.</exception>
    public static async Task<SalvageReport> RunAsync(
        StorageOptions damaged, StorageEnvironment target, IEnumerable<string> knownTrees, IProgress<(string Stage, long Done)>? progress = null, CancellationToken ct = default)
    {
        using var store = OfflineStore.Open(damaged);
        return await RunAsync(store, target, knownTrees, progress, ct).ConfigureAwait(false);
    }

    /// <summary>As the other one, of a store that is open to be looked at.</summary>
    /// <inheritdoc cref="RunAsync(StorageOptions, StorageEnvironment, IEnumerable{string}, IProgress{ValueTuple{string, long}}?, CancellationToken)"/>
    public static async Task<SalvageReport> RunAsync(
        OfflineStore store, StorageEnvironment target, IEnumerable<string> knownTrees, IProgress<(string Stage, long Done)>? progress = null, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(knownTrees);
        var finding = new SalvageSearch(store, [.. knownTrees], progress);
        finding.Run(ct);
        var trees = new List<SalvagedTree>();
        foreach (var tree in finding.Trees.OrderBy(t => t.Name, StringComparer.Ordinal))
        {
            await new SalvageCopy(store.Pages, tree, target, progress).RunAsync(ct).ConfigureAwait(false);
            trees.Add(new SalvagedTree(tree.Name, tree.IsNameKnown, tree.Copied, tree.Expected, tree.Lost()));
        }
        var notes = store.Notes.ToList();
        if (finding.NewerLeaves > 0)
        {
            notes.Add(string.Create(CultureInfo.InvariantCulture,
                $"{finding.NewerLeaves} pages are newer than transaction {store.Transaction}, the last in the journal that can be read, and were taken as they are"));
        }
        return new SalvageReport(store.Transaction, store.Problems, notes, trees, finding.CatalogLost, finding.Unplaced, finding.Uncertain);
    }
}
