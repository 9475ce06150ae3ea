using System.Globalization;

namespace Pipeline.Storage;

/// <summary>
/// Copies all readable data of a damaged store into another one, and lists the losses. Trees are walked past their
/// damaged pages. Pages behind a damaged root or branch, or a damaged catalog, are found by a scan of all pages in use,
/// and placed by their tag and keys. Only data that was certainly part of the last readable state is copied.
/// </summary>
public static class StorageSalvage
{
    /// <summary>Copies it.</summary>
    /// <param name="damaged">The damaged store; it is not changed.</param>
    /// <param name="target">The open store to copy into, which should be empty.</param>
    /// <param name="knownTrees">Names that trees may have, for where the catalog is damaged.</param>
    /// <param name="progress">Receives the numbers of visited pages and copied keys.</param>
    /// <param name="ct">Stops the salvage; data copied so far stays.</param>
    /// <returns>The copied and the lost data.</returns>
    /// <exception cref="StoreInUseException">A process has the damaged store open.</exception>
    /// <exception cref="FileNotFoundException">There is no data file.</exception>
    public static async Task<SalvageReport> RunAsync(
        StorageOptions damaged,
        StorageEnvironment target,
        IEnumerable<string> knownTrees,
        IProgress<(string Stage, long Done)>? progress = null,
        CancellationToken ct = default
    )
    {
        using var store = OfflineStore.Open(damaged);
        return await RunAsync(store, target, knownTrees, progress, ct).ConfigureAwait(false);
    }

    /// <summary>Salvages a store that is open for inspection.</summary>
    /// <inheritdoc cref="RunAsync(StorageOptions, StorageEnvironment, IEnumerable{string}, IProgress{ValueTuple{string, long}}?, CancellationToken)"/>
    public static async Task<SalvageReport> RunAsync(
        OfflineStore store,
        StorageEnvironment target,
        IEnumerable<string> knownTrees,
        IProgress<(string Stage, long Done)>? progress = null,
        CancellationToken ct = default
    )
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
            notes.Add(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{finding.NewerLeaves} pages are newer than transaction {store.Transaction}, the last readable one in the journal; they were copied unchanged"
                )
            );
        }
        return new SalvageReport(
            store.Transaction,
            store.Problems,
            notes,
            trees,
            finding.CatalogLost,
            finding.Unplaced,
            finding.Uncertain
        );
    }
}
