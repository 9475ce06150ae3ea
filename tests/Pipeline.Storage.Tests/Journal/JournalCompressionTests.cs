using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Journal;

public sealed class JournalCompressionTests
{
    private static readonly StorageEncryption Key = new() { Key = new byte[32] };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Large_entries_that_shrink_are_compressed_and_replayed(bool encrypted)
    {
        using var disk = new SimulatedDisk();
        var options = Options(disk, JournalCompression.On) with { Encryption = encrypted ? Key : null };
        using (var environment = StorageEnvironment.Open(options))
        {
            await PutAsync(environment, 1, Text(200_000));
            var statistics = environment.GetStatistics();
            Assert.InRange(statistics.JournalBytesCompressed, 200_000, 220_000);
            Assert.InRange(statistics.JournalBytesAfterCompression, 1, 120_000);
            Assert.InRange(statistics.JournalBytesWritten, statistics.JournalBytesAfterCompression, 130_000);

            // Entries that are too small, or do not shrink, stay uncompressed.
            await PutAsync(environment, 2, Text(5_000));
            var noise = new byte[100_000];
            new Random(1).NextBytes(noise);
            await PutAsync(environment, 3, noise);
            Assert.Equal(statistics.JournalBytesCompressed, environment.GetStatistics().JournalBytesCompressed);
        }
        using var crashed = Crash(disk);
        CheckOffline(options with { Files = crashed });
        using var again = StorageEnvironment.Open(
            options with
            {
                Files = crashed,
                JournalCompression = JournalCompression.Off,
            }
        );
        using var read = again.BeginRead();
        var tree = read.OpenTree("t");
        Assert.True(tree.TryGet([1], out var value) && value.SequenceEqual(Text(200_000)));
        Assert.True(tree.TryGet([2], out value) && value.SequenceEqual(Text(5_000)));
        Assert.True(tree.TryGet([3], out value) && value.Length == 100_000);
        Assert.True(StorageChecker.Check(again).IsSound);
    }

    [Fact]
    public async Task Without_the_library_nothing_is_compressed_and_what_is_gives_a_clear_error()
    {
        using var disk = new SimulatedDisk();
        using (
            var environment = StorageEnvironment.Open(Options(disk, JournalCompression.On) with { WithoutZstd = true })
        )
        {
            await PutAsync(environment, 1, Text(200_000));
            var statistics = environment.GetStatistics();
            Assert.Equal(0, statistics.JournalBytesCompressed);
            Assert.Contains("libzstd", statistics.JournalCompressionProblem);
        }
        using (var environment = StorageEnvironment.Open(Options(disk, JournalCompression.On)))
        {
            Assert.Null(environment.GetStatistics().JournalCompressionProblem);
            await PutAsync(environment, 2, Text(300_000));
        }
        using var crashed = Crash(disk);
        var before = crashed.Paths.ToDictionary(p => p, p => crashed.Get(p));
        var error = Assert.Throws<CompressionUnavailableException>(() =>
            StorageEnvironment.Open(Options(crashed, JournalCompression.On) with { WithoutZstd = true })
        );
        Assert.Contains(".journal", error.Subject);
        Assert.Contains("transaction 2", error.Message);
        Assert.All(
            before.Where(f => !f.Key.EndsWith(".lock", StringComparison.Ordinal)),
            f => Assert.Equal(f.Value, crashed.Get(f.Key))
        );
        using var again = StorageEnvironment.Open(Options(crashed, JournalCompression.Off));
        using var read = again.BeginRead();
        Assert.Equal(2, read.OpenTree("t").Count);
    }

    [Fact]
    public async Task What_is_switched_off_is_off()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(Options(disk, JournalCompression.Off));
        await PutAsync(environment, 1, Text(200_000));
        Assert.Equal(
            (0L, (string?)null),
            (environment.GetStatistics().JournalBytesCompressed, environment.GetStatistics().JournalCompressionProblem)
        );
        Assert.InRange(environment.GetStatistics().JournalBytesWritten, 200_000, 230_000);
    }

    /// <summary>The disk just after the last acknowledged write, without the changes that closing made.</summary>
    private static SimulatedDisk Crash(SimulatedDisk disk)
    {
        var log = disk.Log;
        var replay = new CrashReplay();
        var last = log.Select((e, i) => (e, i))
            .Last(e => e.e.Kind == DiskEventKind.Sync && e.e.Path!.EndsWith(".journal", StringComparison.Ordinal))
            .i;
        foreach (var happening in log.Take(last + 1))
            replay.Apply(happening);
        return replay.Crash(new Random(1), CrashMode.KeepAll);
    }

    private static void CheckOffline(StorageOptions options)
    {
        using var offline = OfflineStore.Open(options);
        Assert.Empty(offline.Problems);
        Assert.True(offline.JournalBytes > 0);
        Assert.True(offline.Check().IsSound);
    }

    private static StorageOptions Options(SimulatedDisk disk, JournalCompression compression) =>
        new()
        {
            Path = "/store",
            Files = disk,
            Deterministic = true,
            MaxDataFileBytes = 64 << 20,
            FlushInterval = TimeSpan.FromHours(10),
            JournalCompression = compression,
        };

    private static byte[] Text(int length)
    {
        var random = new Random(length);
        var text = new byte[length];
        for (var i = 0; i < length; i++)
            text[i] = (byte)('a' + (random.Next(5) * random.Next(2)));
        return text;
    }

    private static Task<bool> PutAsync(StorageEnvironment environment, int key, byte[] value) =>
        environment.WriteAsync(t => t.CreateTree("t").Put([(byte)key], value));
}
