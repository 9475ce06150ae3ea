using Pipeline.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>Damaged pages of one node come back from the other.</summary>
public sealed class PageRepairTests
{
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_scrub_repairs_every_kind_of_page_from_the_other_node(bool atLeader, bool encrypted)
    {
        using var pair = new ReplicaPair(encrypted);
        await pair.FillAsync(3_000);
        var (store, other) = atLeader ? (pair.Leader, pair.Follower) : (pair.Follower, pair.Leader);
        store.PageSource = new Source(other);
        var damaged = pair.Damage(store);
        Assert.True(damaged.Count > 100);

        var report = await store.ScrubAsync();

        Assert.Empty(report.Damaged);
        Assert.Equal(damaged.Order(), report.Repaired.Select(r => r.Page).Order());
        Assert.All(report.Repaired, r => Assert.Equal("the other", r.Source));
        Assert.Equal(damaged.Count, store.GetStatistics().Scrub!.RepairedPages);
        var second = await store.ScrubAsync();
        Assert.True(second.IsSound);
        Assert.Empty(second.Repaired);
        pair.AssertEqual();
        Assert.True(StorageChecker.Check(store).IsSound);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    public async Task While_stores_change_and_flush_and_readers_are_open_no_repair_makes_them_differ(
        int seed,
        bool encrypted
    )
    {
        var random = new Random(seed);
        var plans = new RandomPlans(seed);
        using var pair = new ReplicaPair(encrypted);
        StorageEnvironment[] stores = [pair.Leader, pair.Follower];
        var readers = new Queue<ReadTransaction>();
        var gate = new SemaphoreSlim(1);

        async Task StepAsync(bool writes)
        {
            await gate.WaitAsync();
            try
            {
                var store = stores[random.Next(2)];
                switch (random.Next(8))
                {
                    case < 4 when writes:
                        await pair.WriteAsync(plans.Next());
                        break;
                    case 4 when writes:
                        pair.Apply();
                        break;
                    case 5:
                        store.Flush();
                        break;
                    case 6 when readers.Count < 4:
                        readers.Enqueue(store.BeginRead());
                        break;
                    case 7 when readers.TryDequeue(out var reader):
                        reader.Dispose();
                        break;
                }
            }
            catch (CorruptPageException)
            {
                // What the leader writes needs a page that is not repaired yet.
            }
            finally
            {
                gate.Release();
            }
        }

        for (var round = 0; round < 200; round++)
        {
            for (var i = 0; i < 10; i++)
                await StepAsync(writes: true);
            pair.Apply();
            var (store, other) = round % 2 == 0 ? (stores[0], stores[1]) : (stores[1], stores[0]);
            // A follower could not apply what the leader writes to a page that is damaged here.
            store.PageSource = new Source(other)
            {
                Before = () => StepAsync(writes: store == pair.Leader),
                IsBeforeEach = true,
            };
            store.Flush();
            pair.Damage(store, which: _ => random.Next(2) == 0);
            for (var scrubs = 0; !(await store.ScrubAsync()).IsSound; scrubs++)
            {
                Assert.True(scrubs < 20, $"round {round} of seed {seed}: the damage stays");
                pair.Apply();
            }
            store.PageSource = null;
        }
        while (readers.TryDequeue(out var reader))
            reader.Dispose();
        pair.Apply();
        foreach (var store in stores)
        {
            store.Flush();
            Assert.Empty((await store.ScrubAsync()).Damaged);
            Assert.InRange(store.GetStatistics().Scrub!.RepairedPages, 200, long.MaxValue);
        }
        pair.AssertEqual();
    }

    [Fact]
    public async Task A_leader_changes_no_damaged_page_though_it_was_verified_before()
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        pair.Damage(pair.Leader, PageType.Leaf);
        await Assert.ThrowsAsync<CorruptPageException>(() =>
            pair.WriteAsync(t => t.CreateTree("small").Put(ReplicaPair.Key(7), [1]))
        );
        pair.Leader.PageSource = new Source(pair.Follower);
        Assert.True((await pair.Leader.ScrubAsync()).IsSound);
        await pair.WriteAsync(t => t.CreateTree("small").Put(ReplicaPair.Key(7), [1]));
        pair.Apply();
        pair.AssertEqual();
    }

    [Fact]
    public async Task A_follower_takes_damage_of_its_own_for_damage_and_not_for_a_difference()
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        pair.Damage(pair.Follower, PageType.Leaf);
        await pair.WriteAsync(t => t.CreateTree("small").Put(ReplicaPair.Key(7), [1]));
        Assert.Throws<CorruptPageException>(pair.Apply);
    }

    [Fact]
    public async Task Without_another_node_the_damage_is_reported_as_before()
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        var damaged = pair.Damage(pair.Follower, PageType.Overflow);
        var report = await pair.Follower.ScrubAsync();
        Assert.Equal(damaged.Order(), report.Damaged.Select(d => d.Page).Order());
        Assert.Empty(report.Repaired);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_that_finds_damage_has_it_repaired_in_the_background(bool encrypted)
    {
        using var pair = new ReplicaPair(encrypted);
        await pair.FillAsync(500);
        var damaged = pair.Damage(pair.Follower, PageType.Overflow);
        // Until then the pages count as verified.
        Assert.False((await pair.Follower.ScrubAsync()).IsSound);
        pair.Follower.PageSource = new Source(pair.Leader);
        using (var read = pair.Follower.BeginRead())
            Assert.Throws<CorruptPageException>(() => read.OpenTree("large").TryGet(ReplicaPair.Key(0), out _));
        await pair.RepairedAsync(1);
        Assert.Contains(Assert.Single(pair.Follower.GetStatistics().Scrub!.Repaired).Page, damaged);
        using var again = pair.Follower.BeginRead();
        Assert.True(again.OpenTree("large").TryGet(ReplicaPair.Key(0), out _));
    }

    [Fact]
    public async Task What_could_not_be_repaired_is_tried_again_each_minute()
    {
        var time = new ManualTimeProvider();
        using var pair = new ReplicaPair(time: time);
        await pair.FillAsync(500);
        var source = new Source(pair.Leader) { IsAway = true };
        pair.Follower.PageSource = source;
        var damaged = pair.Damage(pair.Follower, PageType.Overflow).Count;
        var report = await pair.Follower.ScrubAsync();
        Assert.Equal((damaged, damaged), (report.Damaged.Count, pair.Follower.GetStatistics().Scrub!.DamagedPages));
        for (var waits = 0; waits < damaged; )
            waits += await time.NextTimerAsync() == TimeSpan.FromMinutes(1) ? 1 : 0;

        source.IsAway = false;
        time.Advance(TimeSpan.FromMinutes(1));
        await pair.RepairedAsync(damaged);
        var figures = pair.Follower.GetStatistics().Scrub!;
        Assert.Equal((0, damaged), (figures.DamagedPages, figures.RepairedPages));
        Assert.True((await pair.Follower.ScrubAsync()).IsSound);
    }

    [Theory]
    [InlineData("another page")]
    [InlineData("damaged")]
    [InlineData("cut")]
    [InlineData("older snapshot")]
    [InlineData("changed since")]
    public async Task A_page_that_is_not_certainly_the_one_is_refused(string fault)
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        var source = new Source(pair.Leader);
        pair.Follower.PageSource = source;
        var damaged = pair.Damage(pair.Follower, PageType.Overflow);
        var other = pair.Leader.CopyPage(damaged[^1], "the other")!;
        source.Change = copy =>
            fault switch
            {
                "another page" => other,
                "damaged" => copy with { Bytes = Flipped(copy.Bytes) },
                "cut" => copy with { Bytes = copy.Bytes[..^100] },
                "older snapshot" => copy with { Transaction = 0 },
                _ => copy with { Bytes = Resealed(copy.Bytes, transaction: 1_000) },
            };
        var report = await pair.Follower.ScrubAsync();
        Assert.Equal(damaged[..^1].Order(), report.Damaged.Select(d => d.Page).Where(p => p != damaged[^1]).Order());
    }

    [Fact]
    public async Task A_page_whose_newest_content_waits_for_the_flush_needs_no_repair()
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        var damaged = pair.Damage(pair.Follower, PageType.Overflow);
        var source = new Source(pair.Leader);
        // The values are written anew while the first page is on its way.
        source.Before = () => pair.FillAsync(500, flush: false);
        pair.Follower.PageSource = source;
        var report = await pair.Follower.ScrubAsync();
        Assert.NotEmpty(damaged);
        Assert.Empty(report.Repaired);
        pair.Follower.Flush();
        Assert.True((await pair.Follower.ScrubAsync()).IsSound);
        pair.AssertEqual();
    }

    [Fact]
    public async Task A_page_that_is_damaged_at_the_other_node_too_or_not_in_use_is_not_given()
    {
        using var pair = new ReplicaPair();
        await pair.FillAsync(500);
        var damaged = pair.Damage(pair.Follower, PageType.Overflow);
        // Until then the pages count as verified.
        Assert.False((await pair.Follower.ScrubAsync()).IsSound);
        Assert.Throws<CorruptPageException>(() => pair.Follower.CopyPage(damaged[0], "n2"));
        Assert.Null(pair.Follower.CopyPage(1, "n2"));
        Assert.Null(pair.Follower.CopyPage(1_000_000, "n2"));
        Assert.Null(pair.Follower.CopyPage(-5, "n2"));
    }

    private static byte[] Flipped(ReadOnlyMemory<byte> bytes)
    {
        var changed = bytes.ToArray();
        changed[^1] ^= 1;
        return changed;
    }

    private static unsafe byte[] Resealed(ReadOnlyMemory<byte> bytes, long transaction)
    {
        var changed = bytes.ToArray();
        fixed (byte* start = changed)
        {
            PageLayout.Transaction(start) = transaction;
            PageLayout.Checksum(start) = PageChecksum.Compute(
                start,
                PageLayout.Number(start),
                changed.Length >> PageLayout.PageShift
            );
        }
        return changed;
    }

    private sealed class Source(StorageEnvironment other) : IPageSource
    {
        public bool IsAway { get; set; }

        public Func<PageCopy, PageCopy> Change { get; set; } = static copy => copy;

        public Func<Task>? Before { get; set; }

        public bool IsBeforeEach { get; init; }

        public async Task<PageCopy?> FetchAsync(long page, long transaction, CancellationToken ct)
        {
            if (IsAway)
                return null;
            if (Before is { } before)
            {
                if (!IsBeforeEach)
                    Before = null;
                await before();
            }
            return other.CopyPage(page, "the other") is { } copy ? Change(copy) : null;
        }
    }
}
