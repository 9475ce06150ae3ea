using System.Text;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Space;

public sealed class CompactionTests
{
    private static readonly CompactionOptions Fast = new() { MaxBytesPerSecond = 0 };

    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"{i:d6}");

    private static byte[] Value(int i, int length)
    {
        var value = new byte[length];
        new Random(i).NextBytes(value);
        return value;
    }

    /// <summary>
    /// Small values, one in 20 of some pages; each tree's keys one after the other, in commits that alternate between
    /// the trees.
    /// </summary>
    private static async Task FillAsync(StorageEnvironment environment, int trees, int count)
    {
        for (var i = 0; i < count; i += 50)
        {
            var from = i;
            await environment.WriteAsync(t =>
            {
                for (var n = from; n < from + 50; n++)
                {
                    t.CreateTree("tree" + (n % trees))
                        .Put(Key(n), Value(n, n % 20 == 0 ? 9000 + (n * 7 % 20_000) : 300));
                }
            });
        }
    }

    private static Task KeepAsync(StorageEnvironment environment, int trees, int count, Func<int, bool> keep) =>
        environment.WriteAsync(t =>
        {
            for (var n = 0; n < count; n++)
            {
                if (!keep(n))
                    t.OpenTree("tree" + (n % trees)).Delete(Key(n));
            }
        });

    private static void AssertHolds(ReadTransaction read, int trees, int count, Func<int, bool> keep)
    {
        for (var n = 0; n < count; n++)
        {
            var found = read.OpenTree("tree" + (n % trees)).TryGet(Key(n), out var value);
            Assert.Equal(keep(n), found);
            if (found)
                Assert.True(value.SequenceEqual(Value(n, n % 20 == 0 ? 9000 + (n * 7 % 20_000) : 300)), $"key {n}");
        }
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 1)]
    [InlineData(false, 200)]
    public async Task A_file_shrinks_to_what_is_in_use_while_readers_are_open(bool encrypted, int trees)
    {
        const int count = 8000;
        static bool Kept(int n) => n % 10 == 7 || n % 100 == 0 || n > 7900;
        using var folder = new TestFolder();
        var options = new StorageOptions
        {
            Path = folder.Path,
            Encryption = encrypted ? new StorageEncryption { Key = new byte[32] } : null,
        };
        using (var environment = StorageEnvironment.Open(options))
        {
            await FillAsync(environment, trees, count);
            environment.Flush();
            var full = environment.BeginRead();
            await KeepAsync(environment, trees, count, Kept);
            using var kept = environment.BeginRead();

            var report = await environment.CompactAsync(Fast);

            Assert.False(report.IsCut);
            Assert.Equal(report.FileBytesBefore, report.FileBytesAfter);
            Assert.True(report.PagesMoved > 50, report.ToString());
            Assert.InRange(report.PagesAfter, report.UsedPages, report.UsedPages * 1.1);
            Assert.True(report.PagesAfter < report.PagesBefore / 2, report.ToString());
            AssertHolds(full, trees, count, static _ => true);
            AssertHolds(kept, trees, count, Kept);
            full.Dispose();
            kept.Dispose();
            using (var after = environment.BeginRead())
                AssertHolds(after, trees, count, Kept);
            environment.Flush();
            Assert.InRange(
                environment.GetStatistics().DataFileBytes,
                report.PagesAfter * 8192,
                (report.PagesAfter + 64) * 8192
            );
            Assert.True(StorageChecker.Check(environment).IsSound);

            await FillAsync(environment, trees, count);
            environment.Flush();
            using var again = environment.BeginRead();
            AssertHolds(again, trees, count, static _ => true);
            Assert.True(StorageChecker.Check(environment).IsSound);
        }
        using var reopened = StorageEnvironment.Open(options);
        using var read = reopened.BeginRead();
        AssertHolds(read, trees, count, static _ => true);
    }

    [Fact]
    public async Task Nothing_is_moved_where_nothing_is_free()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        Assert.Equal(0, (await environment.CompactAsync()).PagesMoved);
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, "b"u8));
        var report = await environment.CompactAsync();
        Assert.Equal((0L, report.PagesBefore), (report.PagesMoved, report.PagesAfter));
        Assert.Equal(1, environment.GetStatistics().Operations);
    }

    [Fact]
    public async Task A_further_group_of_pages_goes_with_its_allocation_page_and_comes_again()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions { MaxDataFileBytes = 4L << 30 });
        await environment.WriteAsync(t => t.CreateTree("t").Put("first"u8, new byte[500 << 20]));
        await environment.WriteAsync(t => t.OpenTree("t").Put("second"u8, new byte[100 << 20]));
        await environment.WriteAsync(t => t.CreateTree("late").Put("k"u8, Value(1, 100_000)));
        await environment.WriteAsync(t => t.OpenTree("t").Delete("first"u8));
        Assert.True(environment.GetStatistics().PageCount > 65_024);

        var report = await environment.CompactAsync(Fast);

        Assert.InRange(report.PagesAfter, report.UsedPages, report.UsedPages + 10);
        Assert.True(StorageChecker.Check(environment).IsSound);
        await environment.WriteAsync(t => t.OpenTree("t").Put("third"u8, new byte[500 << 20]));
        environment.Flush();
        Assert.True(environment.GetStatistics().PageCount > 65_024);
        Assert.True(StorageChecker.Check(environment).IsSound);
        using var read = environment.BeginRead();
        Assert.True(read.OpenTree("late").TryGet("k"u8, out var value) && value.SequenceEqual(Value(1, 100_000)));
    }

    [Fact]
    public async Task It_stops_when_asked_and_the_store_is_sound()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await FillAsync(environment, 3, 8000);
        await KeepAsync(environment, 3, 8000, static n => n % 10 == 7);
        using var stop = new CancellationTokenSource();
        var steps = 0;
        var progress = new Each(p =>
        {
            Assert.True(p.UsedPages <= p.PageCount);
            if (++steps == 2)
                stop.Cancel();
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            environment.CompactAsync(Fast, progress, stop.Token)
        );
        Assert.Equal(2, steps);
        Assert.True(StorageChecker.Check(environment).IsSound);
        var report = await environment.CompactAsync(Fast);
        Assert.InRange(report.PagesAfter, report.UsedPages, report.UsedPages * 1.1);
    }

    [Fact]
    public async Task Closing_ends_it()
    {
        var environment = StorageEnvironment.Open(new StorageOptions());
        await FillAsync(environment, 3, 8000);
        await KeepAsync(environment, 3, 8000, static n => n % 10 == 7);
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var compaction = environment.CompactAsync(
            new CompactionOptions { MaxBytesPerSecond = 1 },
            new Each(_ => begun.TrySetResult())
        );
        await begun.Task;
        environment.Dispose();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => compaction);
    }

    [Fact]
    public async Task Writers_go_on_beside_it()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = disk,
                MaxDataFileBytes = 1 << 30,
                FlushJournalBytes = 1 << 20,
            }
        );
        await FillAsync(environment, 2, 8000);
        await KeepAsync(environment, 2, 8000, static n => n % 10 == 7);
        var compaction = environment.CompactAsync(Fast);
        var written = 0;
        while (!compaction.IsCompleted || written < 50)
        {
            var n = ++written;
            await environment.WriteAsync(t =>
            {
                t.CreateTree("new").Put(Key(n), Value(n, n % 5 == 0 ? 20_000 : 500));
                t.OpenTree("tree1").Delete(Key((n * 10) + 7));
            });
        }
        Assert.True((await compaction).PagesMoved > 0);
        using var read = environment.BeginRead();
        for (var n = 1; n <= written; n++)
        {
            Assert.True(
                read.OpenTree("new").TryGet(Key(n), out var value)
                    && value.SequenceEqual(Value(n, n % 5 == 0 ? 20_000 : 500))
            );
        }

        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    private sealed class Each(Action<CompactionProgress> report) : IProgress<CompactionProgress>
    {
        public void Report(CompactionProgress value) => report(value);
    }
}
