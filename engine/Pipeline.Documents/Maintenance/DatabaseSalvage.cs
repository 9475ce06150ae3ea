using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Copies all readable data of a damaged database into a new one and lists the losses, documents by their ids. Ids,
/// collections and tombstones are rebuilt from the documents' records, so the new database is sound; no position is
/// given twice.
/// </summary>
public static class DatabaseSalvage
{
    /// <summary>Salvages a database.</summary>
    /// <param name="damaged">The damaged database, which no process may have open. It is not changed.</param>
    /// <param name="target">The place of the new database, where there must be none yet.</param>
    /// <param name="progress">Called from time to time with the progress.</param>
    /// <param name="ct">Stops the salvage. The data copied so far stays, unfinished.</param>
    /// <returns>The copied and the lost data.</returns>
    /// <exception cref="InvalidOperationException">There is a database at the target.</exception>
    public static async Task<DatabaseSalvageReport> RunAsync(
        DocumentStorageOptions damaged,
        DocumentStorageOptions target,
        IProgress<MaintenanceProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(damaged);
        ArgumentNullException.ThrowIfNull(target);
        using var store = OfflineStore.Open(damaged.Storage with { Path = damaged.Path, Files = damaged.Files });
        using var storage = StorageEnvironment.Open(
            target.Storage with
            {
                Path = target.Path,
                Files = target.Files,
                TimeProvider = target.TimeProvider,
                LoggerFactory = target.LoggerFactory,
            }
        );
        if (storage.LastCommittedTransaction > 0)
            throw new InvalidOperationException($"There is a database in {target.Path}; salvage into an empty folder.");
        var stages = progress is null ? null : new Stages(progress);
        var report = await StorageSalvage
            .RunAsync(store, storage, KnownTrees(damaged.MaxCollections), stages, ct)
            .ConfigureAwait(false);
        var rebuilding = new DatabaseRebuild(storage, damaged.Name, target.TimeProvider, target.NewGuid, progress);
        await rebuilding.RunAsync(ct).ConfigureAwait(false);
        return new DatabaseSalvageReport(
            report,
            rebuilding.Documents,
            rebuilding.Tombstones,
            rebuilding.LastPosition,
            rebuilding.Lost,
            rebuilding.Notes
        );
    }

    private static IEnumerable<string> KnownTrees(int collections) =>
        DatabaseTrees.Fixed.Concat(
            Enumerable
                .Range(1, Math.Min(collections, 1_000))
                .SelectMany(n =>
                    new[] { DatabaseTrees.Live(n), DatabaseTrees.Tombstones(n), DatabaseTrees.RevisionsOf(n) }
                )
        );

    private sealed class Stages(IProgress<MaintenanceProgress> progress) : IProgress<(string Stage, long Done)>
    {
        public void Report((string Stage, long Done) value) =>
            progress.Report(new MaintenanceProgress(value.Stage, value.Done, 0));
    }
}
