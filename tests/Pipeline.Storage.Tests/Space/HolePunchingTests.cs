using System.Text;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Storage.Tests.Space;

public sealed class HolePunchingTests
{
    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"{i:d6}");

    private static async Task FillAsync(StorageEnvironment environment, int count, int length)
    {
        var value = new byte[length];
        new Random(1).NextBytes(value);
        for (var i = 0; i < count; i += 100)
        {
            var from = i;
            await environment.WriteAsync(t =>
            {
                var tree = t.CreateTree("t");
                for (var n = from; n < Math.Min(from + 100, count); n++)
                    tree.Put(Key(n), value);
            });
        }
    }

    private static Task DeleteAsync(StorageEnvironment environment, int from, int to) =>
        environment.WriteAsync(t =>
        {
            var tree = t.OpenTree("t");
            for (var n = from; n < to; n++)
                tree.Delete(Key(n));
        });

    /// <summary>All free space was returned, except remainders at the ends of chunks.</summary>
    private static void AssertNearlyAllReturned(StorageStatistics statistics) =>
        Assert.InRange(
            statistics.PunchedBytes,
            (statistics.FreePages * 8192) - (3 * 512 << 10),
            statistics.FreePages * 8192
        );

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Space_freed_by_deletes_goes_back_to_the_file_system(bool encrypted)
    {
        using var folder = new TestFolder();
        var options = new StorageOptions
        {
            Path = folder.Path,
            Encryption = encrypted ? new StorageEncryption { Key = new byte[32] } : null,
        };
        using (var environment = StorageEnvironment.Open(options))
        {
            await FillAsync(environment, 20_000, 1000);
            environment.Flush();
            var full = environment.GetStatistics();
            Assert.InRange(full.DataFileAllocatedBytes, 20_000_000, full.DataFileBytes + (1 << 20));

            await DeleteAsync(environment, 1000, 19_000);
            environment.Flush();

            var after = environment.GetStatistics();
            Skip.If(
                !after.CanPunchHoles,
                $"the file system of {folder.Path} does not take space back from within files"
            );
            Assert.Equal(full.DataFileBytes, after.DataFileBytes);
            AssertNearlyAllReturned(after);
            // The file system may take a few blocks to note where the holes are.
            Assert.InRange(
                after.DataFileAllocatedBytes - (full.DataFileAllocatedBytes - after.PunchedBytes),
                0,
                64 << 10
            );
            Assert.True(StorageChecker.Check(environment).IsSound);
        }
        using (var again = StorageEnvironment.Open(options))
        {
            Assert.True(again.GetStatistics().DataFileAllocatedBytes < 8 << 20);
            await FillAsync(again, 20_000, 1000);
            again.Flush();
            using var read = again.BeginRead();
            Assert.Equal(20_000, read.OpenTree("t").Count);
            Assert.True(StorageChecker.Check(again).IsSound);
        }
        if (encrypted)
            return;
        using var offline = OfflineStore.Open(options);
        Assert.True(offline.Check().IsSound);
    }

    [Fact]
    public async Task What_an_open_reader_sees_stays()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = disk,
                MaxDataFileBytes = 1 << 30,
            }
        );
        await FillAsync(environment, 5000, 1000);
        environment.Flush();
        using (var reader = environment.BeginRead())
        {
            await DeleteAsync(environment, 0, 4999);
            environment.Flush();
            Assert.Equal(0, environment.GetStatistics().PunchedBytes);
            var seen = 0;
            using var cursor = reader.OpenTree("t").OpenCursor();
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
                seen += cursor.Value.Length;
            Assert.Equal(5_000_000, seen);
        }
        environment.Flush();
        AssertNearlyAllReturned(environment.GetStatistics());
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task Space_is_kept_where_something_was_allocated_after_the_checkpoint()
    {
        using var disk = new SimulatedDisk(record: false) { CanFreeze = false };
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = disk,
                MaxDataFileBytes = 1 << 30,
            }
        );
        await FillAsync(environment, 5000, 1000);
        environment.Flush();
        await DeleteAsync(environment, 0, 4999);
        using var reader = environment.BeginRead();
        await FillAsync(environment, 5000, 1000);
        environment.Flush(); // Up to the reader, to which all is free.
        Assert.True(environment.GetStatistics().CheckpointTransaction == reader.Id);
        Assert.InRange(environment.GetStatistics().PunchedBytes, 0, 1 << 20);
        Assert.Equal(1, reader.OpenTree("t").Count);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task Without_holes_all_goes_on_as_ever(bool fileSystemCan, bool wanted)
    {
        using var disk = new SimulatedDisk(record: false) { CanPunchHoles = fileSystemCan };
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = disk,
                MaxDataFileBytes = 1 << 30,
                PunchHoles = wanted,
            }
        );
        await FillAsync(environment, 2000, 1000);
        await DeleteAsync(environment, 0, 1999);
        environment.Flush();
        var statistics = environment.GetStatistics();
        Assert.Equal((0L, fileSystemCan), (statistics.PunchedBytes, statistics.CanPunchHoles));
        Assert.Equal(statistics.DataFileBytes, statistics.DataFileAllocatedBytes);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task A_store_in_memory_gives_its_memory_back()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await FillAsync(environment, 5000, 1000);
        await DeleteAsync(environment, 10, 5000);
        environment.Flush();
        AssertNearlyAllReturned(environment.GetStatistics());
        await FillAsync(environment, 5000, 1000);
        environment.Flush();
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task Space_between_pages_in_use_comes_back_within_a_minute_where_nobody_writes()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = disk,
                MaxDataFileBytes = 1 << 30,
                TimeProvider = time,
            }
        );
        var value = new byte[1000];
        new Random(1).NextBytes(value);
        for (var i = 0; i < 5000; i += 10)
        {
            // Two trees take turns, so that no chunk is of one alone.
            var from = i;
            await environment.WriteAsync(t =>
            {
                var (kept, deleted) = (t.CreateTree("kept"), t.CreateTree("t"));
                for (var n = from; n < from + 10; n++)
                {
                    deleted.Put(Key(n), value);
                    if (n % 5 == 0)
                        kept.Put(Key(n), value);
                }
            });
        }
        environment.Flush();
        await DeleteAsync(environment, 0, 5000);
        bool Returned() =>
            environment.GetStatistics() is var s && s.PunchedBytes == s.FreePages * 8192 && s.FreePages > 400;
        for (
            var waited = TimeSpan.Zero;
            waited < TimeSpan.FromMinutes(1) && !Returned();
            waited += TimeSpan.FromSeconds(5)
        )
        {
            time.Advance(TimeSpan.FromSeconds(5));
            SpinWait.SpinUntil(Returned, TimeSpan.FromMilliseconds(500));
        }
        var after = environment.GetStatistics();
        Assert.Equal(after.FreePages * 8192, after.PunchedBytes);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }
}
