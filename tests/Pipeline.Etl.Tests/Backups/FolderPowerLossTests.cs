using Pipeline.Backups.Destinations;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>A folder of backups after the power was cut at any moment.</summary>
public sealed class FolderPowerLossTests
{
    [Fact]
    public async Task A_manifest_that_is_there_has_its_chunks_and_what_was_settled_is_there()
    {
        var root = Path.Combine(Path.GetTempPath(), "pipeline-power-" + Guid.NewGuid().ToString("N"));
        using var disk = new SimulatedDisk();
        await using (var destination = new FolderDestination(root, disk))
        {
            for (var backup = 1; backup <= 4; backup++)
            {
                // The order of a backup run: settle the chunks, then the manifest, and only then release the journal.
                for (var chunk = 0; chunk < 6; chunk++)
                    await destination.PutAsync($"chunks/{chunk % 3:x2}/{backup}-{chunk}", Bytes(backup), default);
                await destination.SettleAsync(default);
                await destination.PutAsync($"manifests/{backup}", Bytes(backup), default);
                await destination.SettleAsync(default);
                disk.Mark(backup);
            }
        }

        var random = new Random(5);
        using var replay = new CrashReplay();
        foreach (var happening in disk.Log)
        {
            replay.Apply(happening);
            foreach (var mode in (CrashMode[])[CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix])
            {
                using var after = replay.Crash(random, mode);
                for (var backup = 1; backup <= 4; backup++)
                {
                    var isThere = after.Exists(Path.Combine(root, $"manifests/{backup}"));
                    Assert.True(
                        isThere || backup > replay.LastMark,
                        $"manifest {backup} is gone though {replay.LastMark} were settled"
                    );
                    if (isThere)
                    {
                        Assert.All(
                            Enumerable.Range(0, 6),
                            chunk =>
                                Assert.Equal(
                                    Bytes(backup),
                                    after.Get(Path.Combine(root, $"chunks/{chunk % 3:x2}/{backup}-{chunk}"))
                                )
                        );
                    }
                }
            }
        }
    }

    private static byte[] Bytes(int of) => [.. Enumerable.Repeat((byte)of, 3_000)];
}
