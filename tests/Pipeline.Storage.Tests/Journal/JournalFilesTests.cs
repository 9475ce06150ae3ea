using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Storage.Tests.Journal;

/// <summary>Journal files adapt to the load within their bounds, shrink again, and are used again.</summary>
public sealed class JournalFilesTests
{
    private const long Smallest = 64 << 10;
    private const long Largest = 512 << 10;
    private static readonly StorageEncryption Key = new() { Key = new byte[32] };

    [Fact]
    public async Task Files_grow_under_load_to_their_bound_and_shrink_when_it_is_over()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(Options(disk) with { TimeProvider = time });
        Assert.All(Lengths(disk), length => Assert.InRange(length, Smallest, Smallest));

        // Files fill within a second of the clock, which stands still: each one is twice the one before, up to the
        // bound.
        var largest = new List<long>();
        for (var i = 0; i < 200; i++)
        {
            await PutAsync(environment, i, 30_000);
            largest.Add(Lengths(disk).Max());
            if (i % 20 == 19)
                environment.Flush();
        }
        Assert.Equal(Largest, largest.Max());
        Assert.Equal(largest.Order(), largest);
        Assert.Equal([Smallest, 2 * Smallest, 4 * Smallest, Largest], largest.Distinct());

        // A transaction that is larger than a file gets a dedicated file.
        await PutAsync(environment, 1, 2_000_000);
        Assert.InRange(Lengths(disk).Max(), 2_000_000, 2_100_000);
        environment.Flush();

        // Files that take more than half a minute to fill are halved, down to the bound; spare space is released while
        // nothing is written.
        for (var i = 0; i < 60; i++)
        {
            time.Advance(TimeSpan.FromSeconds(20));
            await PutAsync(environment, i, 30_000);
            if (i % 10 == 9)
                environment.Flush();
        }
        for (var i = 0; i < 40; i++)
            time.Advance(TimeSpan.FromHours(10));
        await PutAsync(environment, 1, 30_000);
        environment.Flush();
        Assert.InRange(Lengths(disk).Sum(), Smallest, 2 * Largest);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task Files_behind_the_checkpoint_are_used_again()
    {
        using var disk = new SimulatedDisk();
        using var environment = StorageEnvironment.Open(Options(disk) with { MaxJournalFileBytes = Smallest });
        for (var i = 0; i < 300; i++)
        {
            await PutAsync(environment, i % 50, 10_000);
            if (i % 10 == 9)
                environment.Flush();
        }
        var created = disk.Log.Count(e =>
            e.Kind == DiskEventKind.Create && e.Path!.EndsWith(".journal", StringComparison.Ordinal)
        );
        var renamed = disk.Log.Count(e =>
            e.Kind == DiskEventKind.Move && e.Target!.EndsWith(".journal", StringComparison.Ordinal)
        );
        Assert.True(created <= 8 && renamed >= 30, $"{created} files were created, {renamed} were used again");
        Assert.InRange(disk.List("/store/journal", ".journal").Count, 1, 8);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_journal_may_lie_in_another_folder(bool encrypted)
    {
        using var data = new TestFolder();
        using var journal = new TestFolder();
        using var target = new TestFolder();
        using var copy = new TestFolder();
        using var journalCopy = new TestFolder();
        var options = new StorageOptions
        {
            Path = data.Path,
            JournalPath = journal.Path,
            Encryption = encrypted ? Key : null,
            FlushInterval = TimeSpan.FromHours(10),
        };
        using (var environment = StorageEnvironment.Open(options))
        {
            for (var i = 0; i < 20; i++)
                await PutAsync(environment, i, 5_000);
            Assert.False(Directory.Exists(Path.Combine(data.Path, "journal")));
            Assert.NotEmpty(Directory.GetFiles(journal.Path, "*.journal"));
            // As a crash would leave it: all that was written is in the journal alone.
            Copy(data.Path, copy.Path);
            Copy(journal.Path, journalCopy.Path);
        }
        var crashed = options with { Path = copy.Path, JournalPath = journalCopy.Path };
        using (var offline = OfflineStore.Open(crashed))
        {
            Assert.True(offline.JournalBytes > 0);
            Assert.True(offline.Check().IsSound);
        }
        using (
            var salvaged = StorageEnvironment.Open(
                new StorageOptions { Path = target.Path, Encryption = options.Encryption }
            )
        )
        {
            var report = await StorageSalvage.RunAsync(crashed, salvaged, []);
            Assert.True(report.IsComplete);
            using var read = salvaged.BeginRead();
            Assert.Equal(20, read.OpenTree("t").Count);
        }
        using var again = StorageEnvironment.Open(crashed);
        using var reopened = again.BeginRead();
        Assert.Equal(20, reopened.OpenTree("t").Count);
    }

    private static StorageOptions Options(SimulatedDisk disk) =>
        new()
        {
            Path = "/store",
            Files = disk,
            Deterministic = true,
            MaxDataFileBytes = 64 << 20,
            InitialJournalFileBytes = Smallest,
            MaxJournalFileBytes = Largest,
            FlushInterval = TimeSpan.FromHours(10),
            MaxUnflushedJournalAge = TimeSpan.FromDays(100),
            JournalCompression = JournalCompression.Off,
        };

    private static List<long> Lengths(SimulatedDisk disk) =>
        [.. disk.List("/store/journal", ".journal").Select(p => (long)disk.Get(p).Length)];

    private static void Copy(string from, string to)
    {
        foreach (var file in Directory.GetFiles(from).Where(f => !f.EndsWith(".lock", StringComparison.Ordinal)))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
    }

    private static Task<bool> PutAsync(StorageEnvironment environment, int key, int length)
    {
        var value = new byte[length];
        new Random((key * 31) + length).NextBytes(value);
        return environment.WriteAsync(t => t.CreateTree("t").Put([(byte)key], value));
    }
}
