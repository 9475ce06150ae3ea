using System.Text;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Storage.Tests.Scrub;

public sealed class ScrubTests
{
    private static readonly string Data = Path.Combine("/s", "pipeline.data");

    private static StorageOptions Options(MemoryStorageFiles files, bool encrypted) =>
        new()
        {
            Path = "/s",
            Files = files,
            MaxDataFileBytes = 256 << 20,
            FlushInterval = TimeSpan.FromHours(10),
            MaxReaders = 16,
            ScrubInterval = null,
            Encryption = encrypted ? new StorageEncryption { Key = Enumerable.Repeat((byte)7, 32).ToArray() } : null,
        };

    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"key-{i:d6}");

    private static Task FillAsync(StorageEnvironment environment, int from, int to) =>
        environment.WriteAsync(t =>
        {
            for (var i = from; i < to; i++)
            {
                t.CreateTree("small").Put(Key(i), new byte[100]);
                if (i % 20 == 0)
                    t.CreateTree("large").Put(Key(i), new byte[3000 + (i * 13)]);
            }
        });

    /// <summary>Used pages by type and tree tag, as the file has them.</summary>
    private static unsafe List<(long Page, PageType Type, ushort Tag, int Pages)> PagesOf(
        IStorageFile file,
        StorageEnvironment environment
    )
    {
        var found = new List<(long, PageType, ushort, int)>();
        var bytes = new byte[PageLayout.PageSize];
        using var read = environment.BeginRead();
        var map = read.Pages.GetPage(PageLayout.AllocationPageInGroup) + PageLayout.HeaderSize;
        fixed (byte* page = bytes)
        {
            for (var number = 3L; number < environment.GetStatistics().PageCount; number++)
            {
                if (!Bitmap.IsUsed(map, number))
                    continue;
                file.Read(number << PageLayout.PageShift, bytes);
                var pages =
                    PageLayout.Type(page) == PageType.Overflow
                        ? PageLayout.PagesForOverflow(PageLayout.Overflow(page))
                        : 1;
                found.Add((number, PageLayout.Type(page), PageLayout.TreeTag(page), pages));
                number += pages - 1;
            }
        }
        return found;
    }

    private static void Flip(IStorageFile file, long offset)
    {
        var one = new byte[1];
        file.Read(offset, one);
        one[0] ^= 0x10;
        file.Write(offset, one);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_page_in_use_is_verified_and_what_is_damaged_under_an_open_store_is_named(bool encrypted)
    {
        var files = new MemoryStorageFiles();
        using var environment = StorageEnvironment.Open(Options(files, encrypted));
        await FillAsync(environment, 0, 2_000);
        var early = await environment.ScrubAsync();
        Assert.True(early.IsSound && early.PagesInMemory > 100);
        environment.Flush();

        var sound = await environment.ScrubAsync();
        var figures = environment.GetStatistics();
        Assert.Equal((0L, 0L, 3), (sound.DamagedPages, sound.PagesInMemory, sound.Trees));
        Assert.Equal(figures.PageCount - figures.FreePages - 2, sound.Pages); // All but the meta pages.
        Assert.False(figures.Scrub!.IsRunning);
        Assert.Same(sound, figures.Scrub.Last);

        var file = files.Open(Data, create: false);
        var names = new[] { "small", "large", TreeCatalog.CatalogName }.ToDictionary(TreeTag.Of);
        var types = new HashSet<(PageType, string)>();
        foreach (
            var (page, type, tag, pages) in PagesOf(file, environment)
                .GroupBy(p => (p.Type, p.Tag, p.Pages))
                .Select(g => g.First())
        )
        {
            var offset = (page << PageLayout.PageShift) + ((long)pages << PageLayout.PageShift) - 2;
            Flip(file, offset);
            var report = await environment.ScrubAsync();
            var damage = Assert.Single(report.Damaged, d => d.Page == page);
            Assert.Equal((names[tag], Data), (damage.Tree, damage.File));
            Assert.Contains("checksum", damage.Reason, StringComparison.Ordinal);
            Assert.NotNull(damage.Affected);
            Assert.Equal(type == PageType.Overflow, damage.Affected.IsSingle);
            Assert.Contains(environment.GetStatistics().Scrub!.Damaged, d => d.Page == page);
            types.Add((type, damage.Tree));
            Flip(file, offset);
        }
        Assert.Superset(
            new HashSet<(PageType, string)>
            {
                (PageType.Branch, "small"),
                (PageType.Leaf, "small"),
                (PageType.Leaf, "large"),
                (PageType.Overflow, "large"),
                (PageType.Leaf, TreeCatalog.CatalogName),
            },
            types
        );
        foreach (var (page, tree) in new[] { (0L, "(meta)"), (1L, "(meta)"), (2L, "(allocation)") })
        {
            Flip(file, (page << PageLayout.PageShift) + 200);
            Assert.Equal(
                (page, tree),
                (Assert.Single((await environment.ScrubAsync()).Damaged) is var d ? (d.Page, d.Tree) : default)
            );
            Flip(file, (page << PageLayout.PageShift) + 200);
        }
        Assert.True((await environment.ScrubAsync()).IsSound);
        Assert.Empty(environment.GetStatistics().Scrub!.Damaged);
    }

    [Fact]
    public async Task A_page_that_was_verified_before_it_was_damaged_gives_its_readers_an_error_after_the_scrub()
    {
        var files = new MemoryStorageFiles();
        using var environment = StorageEnvironment.Open(Options(files, encrypted: false));
        await FillAsync(environment, 0, 2_000);
        environment.Flush();
        using var read = environment.BeginRead();
        Assert.True(read.OpenTree("small").TryGet(Key(0), out _));
        var file = files.Open(Data, create: false);
        var report = await environment.ScrubAsync();
        Assert.True(report.IsSound);
        var damaged = PagesOf(file, environment)
            .Where(p => p.Tag == TreeTag.Of("small") && p.Type == PageType.Leaf)
            .ToList();
        foreach (var (page, _, _, _) in damaged)
            Flip(file, (page << PageLayout.PageShift) + 8000);
        report = await environment.ScrubAsync();
        Assert.Equal(damaged.Select(d => d.Page).Order(), report.Damaged.Select(d => d.Page).Order());
        Assert.Throws<CorruptPageException>(() => read.OpenTree("small").TryGet(Key(0), out _));
        // Together the ranges that are named leave no key of the tree out.
        Assert.All(Enumerable.Range(0, 2_000), i => Assert.Contains(report.Damaged, d => d.Affected!.Contains(Key(i))));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Beside_writers_and_flushes_it_raises_no_false_alarm_and_holds_nothing_back(bool encrypted)
    {
        using var environment = StorageEnvironment.Open(
            Options(new MemoryStorageFiles(), encrypted) with
            {
                FlushJournalBytes = 256 << 10,
            }
        );
        await FillAsync(environment, 0, 3_000);
        environment.Flush();
        using var stop = new CancellationTokenSource();
        var writers = Enumerable
            .Range(0, 2)
            .Select(n =>
                Task.Run(async () =>
                {
                    var random = new Random(n);
                    while (!stop.IsCancellationRequested)
                    {
                        var (i, size, delete) = (random.Next(4_000), random.Next(60_000), random.Next(3) == 0);
                        await environment.WriteAsync(t =>
                        {
                            for (var j = i; j < i + 30; j++)
                            {
                                if (delete)
                                    t.CreateTree("small").Delete(Key(j));
                                else
                                    t.CreateTree("small").Put(Key(j), new byte[j % 300]);
                            }
                            if (delete)
                                t.CreateTree("large").Delete(Key(i));
                            else
                                t.CreateTree("large").Put(Key(i), new byte[size]);
                        });
                        if (random.Next(10) == 0)
                            environment.Flush();
                    }
                })
            )
            .ToList();
        long verified = 0;
        var steps = new Heard(() => Assert.DoesNotContain(environment.GetReaders(), r => r.Owner == "scrub"));
        for (
            var i = 0;
            i < 200 && (i < 8 || verified < 5_000 || steps.Count < 100 || environment.GetStatistics().Flushes < 6);
            i++
        )
        {
            // Small parts, so that the trees change between two of them.
            var report = await environment.ScrubAsync(
                new ScrubOptions { BytesInSnapshot = i % 2 == 0 ? null : 50_000 },
                steps
            );
            Assert.True(report.IsSound, string.Join("; ", report.Damaged.Take(5)));
            verified += report.Pages;
        }
        await stop.CancelAsync();
        await Task.WhenAll(writers);
        Assert.True(verified >= 5_000, $"{verified} pages");
        Assert.True(steps.Count >= 100);
        Assert.True(environment.GetStatistics().Flushes > 5);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task It_keeps_to_its_rate_and_another_one_takes_the_place_of_one_in_the_background()
    {
        var time = new ManualTimeProvider();
        using var environment = StorageEnvironment.Open(
            Options(new MemoryStorageFiles(), encrypted: false) with
            {
                TimeProvider = time,
                ScrubInterval = TimeSpan.FromMinutes(30),
                ScrubBytesPerSecond = 256 << 10,
            }
        );
        await FillAsync(environment, 0, 4_000);
        environment.Flush();
        var used = environment.GetStatistics() is var s ? (s.PageCount - s.FreePages) * PageLayout.PageSize : 0;
        Assert.True(used > 2 << 20);

        while (await time.NextTimerAsync() != TimeSpan.FromMinutes(30))
        {
            // The flush has a timer too.
        }
        time.Advance(TimeSpan.FromMinutes(30));
        var wait = await time.NextTimerAsync();
        // 64 KiB, the least at once, at 256 KiB a second; a run may go beyond it.
        Assert.InRange(wait.TotalSeconds, 0.24, 1);
        Assert.True(environment.GetStatistics().Scrub!.IsRunning);
        time.Advance(wait);
        Assert.InRange((await time.NextTimerAsync()).TotalSeconds, 0.2, 1);
        Assert.Null(environment.GetStatistics().Scrub!.Last);

        var report = await environment.ScrubAsync();
        Assert.True(report.IsSound);
        Assert.Same(report, environment.GetStatistics().Scrub!.Last);
        Assert.Equal(TimeSpan.FromMinutes(30), await time.NextTimerAsync());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() =>
            environment.ScrubAsync(new ScrubOptions { BytesPerSecond = 0 })
        );
        Assert.Throws<ArgumentException>(() =>
            StorageEnvironment.Open(new StorageOptions { ScrubInterval = TimeSpan.FromDays(50) })
        );
    }

    [Fact]
    public async Task Closing_ends_it_and_its_caller_is_told()
    {
        var time = new ManualTimeProvider();
        var environment = StorageEnvironment.Open(
            Options(new MemoryStorageFiles(), encrypted: false) with
            {
                TimeProvider = time,
            }
        );
        await FillAsync(environment, 0, 1_000);
        environment.Flush();
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var running = environment.ScrubAsync(
            new ScrubOptions { BytesPerSecond = 1 },
            new Heard(() => first.TrySetResult())
        );
        await first.Task;
        environment.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => running);
        Assert.Throws<ObjectDisposedException>(() =>
        {
            _ = environment.ScrubAsync();
        });
    }

    private sealed class Heard(Action act) : IProgress<ScrubProgress>
    {
        public int Count { get; private set; }

        public void Report(ScrubProgress value)
        {
            Count++;
            act();
        }
    }
}
