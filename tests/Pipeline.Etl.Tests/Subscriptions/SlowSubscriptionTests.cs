using System.Text;
using Pipeline.Database;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

public sealed partial class SlowSubscriptionTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database;
    private SubscriptionHost _host;

    public SlowSubscriptionTests()
    {
        _database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                TimeProvider = _time,
                TombstonePurgeInterval = TimeSpan.Zero,
            }
        );
        _host = OpenHost();
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Fact]
    public async Task What_waits_is_counted_and_the_state_goes_from_normal_over_a_warning_to_exceeded()
    {
        await _host.CreateAsync(Definition(new LagPolicy { Age = TimeSpan.FromHours(10) }));
        await using var events = _host.FollowAsync("s").GetAsyncEnumerator();
        await PutAsync(1, 3);
        _time.Advance(TimeSpan.FromHours(7));
        await _host.CheckLagAsync();
        var status = Status();
        Assert.Equal(
            (3L, 7 * 3600d, LagState.Normal),
            (status.Consumer!.Pending.Changes, status.Consumer.AgeSeconds, status.Verdict.State)
        );
        _time.Advance(TimeSpan.FromHours(1));
        await _host.CheckLagAsync();
        Assert.Equal((LagState.Warning, 0.8), (Status().Verdict.State, Status().Verdict.Share));
        Assert.Equal("the oldest change that waits is 8 h old, 10 h are allowed", Status().Verdict.Reason);
        _time.Advance(TimeSpan.FromHours(3));
        await _host.CheckLagAsync();
        Assert.Equal(LagState.Exceeded, Status().Verdict.State);

        // The subscription keeps everything, and a worker continues normally.
        await ReadAsync(3);
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal((3, null), (batch.Count, batch.Resync));
        await batch.AcknowledgeAsync();
        await _host.CheckLagAsync();
        Assert.Equal(LagState.Normal, Status().Verdict.State);
        Assert.Equal(
            [
                "Warning: the oldest change that waits is 8 h old, 10 h are allowed",
                "Exceeded: the oldest change that waits is 11 h old, 10 h are allowed",
                "Normal",
            ],
            await TakeAsync(events, 3, SubscriptionEventKind.LagChanged)
        );
    }

    [Theory]
    [InlineData(4L, null, LagState.Warning)]
    [InlineData(3L, null, LagState.Exceeded)]
    [InlineData(100L, null, LagState.Normal)]
    [InlineData(null, 1L, LagState.Exceeded)]
    [InlineData(null, 1_000_000L, LagState.Normal)]
    public async Task Changes_and_bytes_may_be_limited_too(long? changes, long? bytes, LagState expected)
    {
        await _host.CreateAsync(Definition(new LagPolicy { Changes = changes, Bytes = bytes }));
        await PutAsync(1, 4);
        Assert.Equal(expected, Status().Verdict.State);
    }

    [Fact]
    public async Task A_dropped_one_is_deleted_and_its_workers_are_told_why()
    {
        await _host.CreateAsync(Definition(new LagPolicy { Changes = 2, Then = LagAction.Drop }));
        await using var worker = await _host.ConnectAsync("s");
        await PutAsync(1, 3);
        var batch = (await worker.NextAsync())!;
        await _host.CheckLagAsync();
        var e = await Assert.ThrowsAsync<SubscriptionException>(() => batch.AcknowledgeAsync());
        Assert.Equal(SubscriptionProblem.Deleted, e.Problem);
        Assert.Contains("3 changes wait, 2 are allowed", e.Message, StringComparison.Ordinal);
        Assert.Empty(_host.Names());
        Assert.Empty(_database.Consumers.List());
    }

    [Fact]
    public async Task A_position_that_moves_over_changes_of_others_becomes_durable_so_that_nothing_is_kept()
    {
        await _host.CreateAsync(Definition(null) with { Collections = ["Others"] });
        await PutAsync(1, 3);
        await _database.DeleteAsync("d/1");
        await PutAsync(4, 4);
        while (Status().Position < _database.LastPosition)
            await Task.Yield();

        Assert.Equal(0, await _database.Consumers.PurgeAsync());
        await _host.CheckLagAsync();
        Assert.Equal(5, Status().Consumer!.Position);
        Assert.Equal(1, await _database.Consumers.PurgeAsync());
    }

    [Fact]
    public async Task One_that_only_looks_reads_nothing_ahead_and_changes_nothing()
    {
        await _host.CreateAsync(Definition(new LagPolicy { Changes = 1, Then = LagAction.Drop }));
        await PutAsync(1, 3);
        await _host.DisposeAsync();
        await using (
            var looking = SubscriptionHost.Open(
                _database,
                new SubscriptionHostOptions { Time = _time, OnlyLooks = true }
            )
        )
        {
            _time.Advance(TimeSpan.FromDays(1));
            var status = Assert.Single(looking.GetStatus());
            Assert.Equal(
                (0L, 3L, 0, LagState.Exceeded),
                (status.Position, status.Consumer!.Pending.Changes, status.Waiting, status.Verdict.State)
            );
            await Assert.ThrowsAsync<InvalidOperationException>(() => looking.ConnectAsync("s"));
            await Assert.ThrowsAsync<InvalidOperationException>(() => looking.DeleteAsync("s"));
        }

        _host = OpenHost();
        Assert.Equal(["s"], _host.Names());
    }

    [Fact]
    public async Task Rate_and_last_error_are_shown()
    {
        await _host.CreateAsync(Definition(null));
        await PutAsync(1, 120);
        await ReadAsync(120);
        await using var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 60 });
        for (var i = 0; i < 2; i++)
        {
            var batch = (await worker.NextAsync())!;
            if (i == 1)
                batch.Reject(batch[0], "no");
            _time.Advance(TimeSpan.FromSeconds(30));
            await batch.AcknowledgeAsync();
        }

        var status = Status();
        Assert.InRange(status.PerSecond, 1.5, 2.8);
        Assert.Equal(("no", _time.GetUtcNow()), (status.LastError, status.LastAcknowledged));
        var before = status.PerSecond;
        _time.Advance(TimeSpan.FromMinutes(5));
        Assert.InRange(Status().PerSecond, 0, before / 50);
    }

    [Fact]
    public async Task A_follower_sees_what_happens_and_a_slow_one_is_told_what_it_missed()
    {
        await using var all = _host.FollowAsync().GetAsyncEnumerator();
        await using var slow = _host.FollowAsync("S", capacity: 2).GetAsyncEnumerator();
        await _host.CreateAsync(Definition(null) with { MaxAttempts = 1 });
        await using (var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { Name = "w" }))
        {
            await PutAsync(1, 2);
            await ReadAsync(2);
            var batch = (await worker.NextAsync())!;
            batch.Reject(batch[0], "bad");
            await batch.AcknowledgeAsync();
        }

        await _host.PauseAsync("s");
        await _host.ResumeAsync("s");
        await _host.MoveAsync("s", SubscriptionStart.Beginning);
        await _host.DeleteAsync("s");
        List<SubscriptionEvent> seen = [];
        do
        {
            Assert.True(await all.MoveNextAsync());
            seen.Add(all.Current);
        } while (all.Current.Kind != SubscriptionEventKind.Deleted);
        Assert.Equal(
            [
                SubscriptionEventKind.Created,
                SubscriptionEventKind.WorkerJoined,
                SubscriptionEventKind.BatchSent,
                SubscriptionEventKind.Parked,
                SubscriptionEventKind.BatchAcknowledged,
                SubscriptionEventKind.WorkerLeft,
                SubscriptionEventKind.Paused,
                SubscriptionEventKind.Resumed,
                SubscriptionEventKind.Moved,
                SubscriptionEventKind.Deleted,
            ],
            seen.Select(e => e.Kind).Distinct()
        );
        Assert.Equal(
            ("w", "bad"),
            (
                seen.First(e => e.Kind == SubscriptionEventKind.BatchSent).Worker,
                seen.First(e => e.Kind == SubscriptionEventKind.Parked).Detail
            )
        );
        Assert.True(await slow.MoveNextAsync());
        Assert.Equal((SubscriptionEventKind.Missed, seen.Count - 2L), (slow.Current.Kind, slow.Current.Count));
        Assert.True(await slow.MoveNextAsync());
        Assert.Equal(SubscriptionEventKind.Moved, slow.Current.Kind);
        await _host.DisposeAsync();
        Assert.True(await slow.MoveNextAsync());
        Assert.False(await slow.MoveNextAsync());
    }

    /// <summary>Waits until the host has read that many changes ahead; it reads concurrently with the test.</summary>
    private async Task ReadAsync(int changes)
    {
        while (Assert.Single(_host.Look()).Waiting < changes)
            await Task.Yield();
    }

    private static async Task<List<string>> TakeAsync(
        IAsyncEnumerator<SubscriptionEvent> events,
        int count,
        SubscriptionEventKind kind
    )
    {
        List<string> taken = [];
        while (taken.Count < count && await events.MoveNextAsync())
        {
            if (events.Current.Kind == kind)
                taken.Add(events.Current.Detail!);
        }

        return taken;
    }

    private SubscriptionHost OpenHost() =>
        SubscriptionHost.Open(
            _database,
            new SubscriptionHostOptions { Time = _time, CheckInterval = TimeSpan.FromDays(40) }
        );

    private SubscriptionStatus Status() => Assert.Single(_host.GetStatus());

    private static SubscriptionDefinition Definition(LagPolicy? lag) =>
        new()
        {
            Name = "s",
            Deletes = true,
            MaxLag = lag,
        };

    private async Task PutAsync(int from, int to)
    {
        for (var i = from; i <= to; i++)
            await _database.PutAsync($"d/{i}", Json(i));
    }

    private static byte[] Json(int n) =>
        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"Ds"}}""");
}
