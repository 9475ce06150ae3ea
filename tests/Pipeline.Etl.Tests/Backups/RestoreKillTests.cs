using Pipeline.Backups.Restoring;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.EtlKit.Backups;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>
/// Kills a restore at any of its steps, with whatever the disk then holds. The folder is never taken for a database
/// unless the restore is whole, and the restore can be run again.
/// </summary>
public sealed class RestoreKillTests
{
    private const string Folder = "/restored";
    private const int Moments = 40;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Killed_at_any_step_a_restore_leaves_no_database_or_the_whole_one_and_can_be_run_again(
        bool encrypted
    )
    {
        await using var fixture = new BackupFixture();
        for (var i = 0; i < 20; i++)
            await fixture.PutAsync($"things/{i}", new string('a', 2_000 * i));
        await fixture.BackUpAsync();
        for (var i = 5; i < 30; i++)
            await fixture.PutAsync($"things/{i}", new string('b', 1_500 * i));
        await fixture.BackUpAsync();
        var expected = BackupFixture.Fingerprint(fixture.Database);
        Environment.SetEnvironmentVariable("PIPELINE_TEST_RESTORE_KEY", new string('7', 64));
        var encryption = encrypted ? new StorageEncryption { KeyVariable = "PIPELINE_TEST_RESTORE_KEY" } : null;
        using var recorded = new SimulatedDisk();
        await RestoreAsync(fixture, recorded, encryption);
        var log = recorded.Log;
        var random = new Random(11);
        var (refused, empty, whole) = (0, 0, 0);
        using var replay = new CrashReplay();
        var every = Math.Max(1, log.Count / Moments);
        for (var at = 0; at < log.Count; at++)
        {
            replay.Apply(log[at]);
            // The last steps are those that make a database of it.
            if (
                at % every != 0
                && log[at].Kind is not (DiskEventKind.Move or DiskEventKind.Create or DiskEventKind.SyncDirectory)
            )
            {
                continue;
            }

            foreach (
                var mode in replay.HasPending
                    ? new[] { CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix }
                    : [CrashMode.LoseAll]
            )
            {
                using var disk = replay.Crash(random, mode);
                if (disk.Paths.Any(p => p.EndsWith("pipeline.data", StringComparison.Ordinal)))
                {
                    await AssertIsAsync(disk, encryption, expected);
                    whole++;
                    continue;
                }
                if (disk.Paths.Any(p => p.EndsWith(".restoring", StringComparison.Ordinal)))
                {
                    var refusal = Assert.Throws<UnfinishedRestoreException>(() => Open(disk, encryption));
                    Assert.Contains("Run the restore again", refusal.Message, StringComparison.Ordinal);
                    refused++;
                }
                else
                {
                    empty++;
                }
                if (random.Next(3) > 0)
                    continue;
                await RestoreAsync(fixture, disk, encryption);
                await AssertIsAsync(disk, encryption, expected);
            }
        }
        Assert.True(
            refused > 10 && whole > 1,
            $"{refused} refused, {empty} empty, {whole} whole, of {log.Count} steps"
        );
    }

    private static StorageOptions Options(SimulatedDisk disk, StorageEncryption? encryption) =>
        new()
        {
            Path = Folder,
            Files = disk,
            Encryption = encryption,
            MaxJournalFileBytes = 1 << 20,
            FlushJournalBytes = 1 << 20,
        };

    private static async Task RestoreAsync(BackupFixture fixture, SimulatedDisk disk, StorageEncryption? encryption)
    {
        await using var repository = await fixture.RepositoryAsync();
        await new BackupRestorer(repository).RestoreAsync(new RestorePoint(), Options(disk, encryption));
    }

    private static DocumentDatabase Open(SimulatedDisk disk, StorageEncryption? encryption) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = Folder,
                Files = disk,
                Storage = Options(disk, encryption),
                TombstonePurgeInterval = Timeout.InfiniteTimeSpan,
                Indexing = new IndexingOptions { Enabled = false },
            }
        );

    private static async Task AssertIsAsync(SimulatedDisk disk, StorageEncryption? encryption, string expected)
    {
        await using var database = Open(disk, encryption);
        Assert.Equal(expected, BackupFixture.Fingerprint(database));
        Assert.True(StorageChecker.Check(database.Storage).IsSound);
    }
}
