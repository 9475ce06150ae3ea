using Pipeline.Storage;

namespace Pipeline.Database.Maintenance;

/// <summary>
/// Copies all that can be read of a damaged database into a new one and lists what is lost, documents by their ids. Ids, collections and tombstones are made
/// anew from the documents' records, so that the new database is sound; no position is given again.
/// </summary>
public static class DatabaseSalvage
{
    /// <summary>Salvages a database.</summary>
    /// <param name="damaged">The damaged one, which no process may have open; nothing of it is changed.</param>
    /// <param name="target">Where the new one goes: there must be none yet.</param>
    /// <param name="progress">Told from time to time how far it is.</param>
    /// <param name="ct">Stops the salvage; what was copied is left, unfinished.</param>
    /// <returns>What was copied and what is lost.</returns>
    /// <exception cref="InvalidOperationException">There is a database at the target.</exception>
    public static async Task<DatabaseSalvageReport> RunAsync(
        DatabaseOptions damaged, DatabaseOptions target, IProgress<MaintenanceProgress>? progress = null, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(damaged);
        ArgumentNullException.ThrowIfNull(target);
        using OfflineStore store = OfflineStore.Open(damaged.Storage with { Path = damaged.Path, Files = damaged.Files });
        using StorageEnvironment storage = StorageEnvironment.Open(target.Storage with
        {
            Path = target.Path,
            Files = target.Files,
            TimeProvider = target.TimeProvider,
            LoggerFactory = target.LoggerFactory,
        });
        if (storage.LastCommittedTransaction > 0) throw new InvalidOperationException($"There is a database in {target.Path}; a salvage needs a folder of its own.");
        var stages = progress is null ? null : new Stages(progress);
        SalvageReport report = await StorageSalvage.RunAsync(
            store, storage, KnownTrees(damaged.MaxCollections), stages, ct).ConfigureAwait(false);
        var rebuilding = new DatabaseRebuild(storage, damaged.Name, target.TimeProvider, target.NewGuid, progress);
        await rebuilding.RunAsync(ct).ConfigureAwait(false);
        return new DatabaseSalvageReport(report, rebuilding.Documents, rebuilding.Tombstones, rebuilding.LastPosition, rebuilding.Lost, rebuilding.Notes);
    }

    private static IEnumerable<string> KnownTrees(int collections) =>
        DatabaseTrees.Fixed
            .Concat(Enumerable.Range(1, Math.Min(collections, 1_000)).SelectMany(n => new[] { DatabaseTrees.Live(n), DatabaseTrees.Tombstones(n), DatabaseTrees.RevisionsOf(n) }));

    private sealed class Stages(IProgress<MaintenanceProgress> progress) : IProgress<(string Stage, long Done)>
    {
        public void Report((string Stage, long Done) value) => progress.Report(new MaintenanceProgress(value.Stage, value.Done, 0));
    }
}
