using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

/// <summary>
/// A crash at any moment leaves the index of some commit, with its progress: at least the last that was acknowledged.
/// </summary>
public sealed class IndexCrashTests
{
    private const string Folder = "/index";

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public async Task After_a_crash_the_index_is_that_of_a_commit_and_its_progress_says_which(int seed)
    {
        using var disk = new SimulatedDisk();
        var models = await RunAsync(disk, seed);
        using var replay = new CrashReplay();
        var log = disk.Log;
        var crashes = 0;
        var random = new Random(seed);
        for (var i = 0; i < log.Count; i++)
        {
            replay.Apply(log[i]);
            if (log[i].Kind == DiskEventKind.Mark || random.Next(log.Count) > 30)
                continue;
            foreach (var mode in (CrashMode[])[CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix])
            {
                using var crashed = replay.Crash(new Random((seed * 1000) + i), mode);
                Check(crashed, models, (int)replay.LastMark, $"seed {seed}, event {i}, {mode}");
                crashes++;
            }
        }

        Assert.True(crashes > 30, $"only {crashes} crashes were tried");
    }

    /// <summary>
    /// Commits and purges; returns the model after each commit, the empty one first. A purge changes nothing that is
    /// seen.
    /// </summary>
    private static async Task<List<IndexModel>> RunAsync(SimulatedDisk disk, int seed)
    {
        var entries = new RandomEntries(seed);
        var model = new IndexModel();
        var models = new List<IndexModel> { model.Copy() };
        using var environment = StorageEnvironment.Open(Options(disk));
        using var store = IndexStore.Open(environment, new IndexOptions { MaxPurgeStepBytes = 16 << 10 });
        for (var i = 1; i <= 9; i++)
        {
            var batches = entries.Batches(store, model, 40, 60);
            model.Progress = i;
            models.Add(model.Copy());
            await store.CommitAsync(batches, i);
            disk.Mark(i);
            batches.ForEach(b => b.Dispose());
            if (i % 4 == 3)
                await store.PurgeStepAsync();
        }

        return models;
    }

    private static void Check(SimulatedDisk disk, List<IndexModel> models, int acknowledged, string when)
    {
        using var environment = StorageEnvironment.Open(Options(disk));
        using var store = IndexStore.Open(environment);
        int progress;
        using (var reader = store.OpenReader())
            progress = (int)reader.Progress;
        Assert.True(
            progress >= acknowledged && progress < models.Count,
            $"{when}: {acknowledged} commits were acknowledged, {progress} are there"
        );
        IndexComparison.AssertEqual(models[progress], store);
        var report = StorageChecker.Check(environment);
        Assert.True(report.IsSound, $"{when}: {string.Join("; ", report.Problems.Take(3))}");
    }

    private static StorageOptions Options(SimulatedDisk disk) =>
        new()
        {
            Path = Folder,
            Files = disk,
            InitialJournalFileBytes = 64 << 10,
            MaxJournalFileBytes = 256 << 10,
            FlushJournalBytes = 96 << 10,
            MaxDataFileBytes = 64 << 20,
            Deterministic = true,
        };
}
