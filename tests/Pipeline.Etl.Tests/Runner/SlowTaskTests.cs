using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Replays;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>Tasks that are further behind than their <c>maxLag</c>.</summary>
public sealed class SlowTaskTests
{
    private const string Id = "etl/t";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_paused_task_keeps_nothing_and_sends_all_documents_anew_once_its_target_is_back(bool remembers)
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = remembers });
        await f.PutManyAsync(1, 5);
        await f.RunToEndAsync(Task("pause-and-resync"));
        var first = f.Broker.Ids();
        await using var host = await FallBehindAsync(f, "pause-and-resync");
        await UntilAsync(f, () => f.Feed.OpenCursor(Id, new CursorFilter(null, true)).AwaitsResync);
        await UntilAsync(f, () => host.GetStatus()[0].IsResyncing);
        Assert.Equal(1, await f.Database.Consumers.PurgeAsync());
        Assert.Equal(0, f.Database.Consumers.Measure(Id)!.HeldTombstones);

        f.Broker.OnConnect = null;
        var desk = new ReplayService(f.Database);
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition && desk.Find("t") is null);
        // The status is updated after the durable position.
        await UntilAsync(f, () => !host.GetStatus()[0].IsResyncing);

        // The remaining documents keep their first ids; from now on deletions are kept and sent again.
        var again = f.Broker.Ids()[5..];
        Assert.Equal(first[1..], again[..4]);
        Assert.Equal(["2", "3", "4", "5", "6", "7", "8", "9"], f.Broker.Bodies()[5..]);
        await f.Database.DeleteAsync("things/9");
        Assert.Equal(0, await f.Database.Consumers.PurgeAsync());
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition);
        Assert.Equal(("", "things/9"), (f.Broker.Bodies()[^1], f.Broker.Arrived[^1].Message.Subject));
    }

    [Fact]
    public async Task A_dropped_task_stands_with_its_reason_and_begins_anew_at_the_next_start()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 5);
        await f.RunToEndAsync(Task("drop"));
        await using (var host = await FallBehindAsync(f, "drop"))
        {
            await UntilAsync(f, () => host.GetStatus()[0] is { State: EtlTaskState.Failed, NextTry: null });
            Assert.Contains(
                "was dropped (then: drop): 5 changes wait, 3 are allowed",
                host.GetStatus()[0].LastError!.Message,
                StringComparison.Ordinal
            );
            Assert.Empty(f.Database.Consumers.List());
            Assert.Equal(1, await f.Database.Consumers.PurgeAsync());
            Assert.False(await f.DrainAsync(host));
            f.Broker.OnConnect = null;
            f.Time.Advance(TimeSpan.FromHours(1));
            Assert.Equal(5, f.Broker.Bodies().Length);
        }

        await using var next = f.Start(Task("drop"));
        var desk = new ReplayService(f.Database);
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition && desk.Find("t") is null);
        Assert.Equal(["2", "3", "4", "5", "6", "7", "8", "9"], f.Broker.Bodies()[5..]);
        Assert.Equal([Id], f.Database.Consumers.List().Select(c => c.Name));
    }

    [Fact]
    public async Task A_task_that_keeps_loses_nothing()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 5);
        await f.RunToEndAsync(Task("keep"));
        await using var host = await FallBehindAsync(f, "keep");
        for (var i = 0; i < 20; i++)
            f.Time.Advance(TimeSpan.FromSeconds(11));
        Assert.Equal(0, await f.Database.Consumers.PurgeAsync());
        f.Broker.OnConnect = null;
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition);
        Assert.Equal(["", "6", "7", "8", "9"], f.Broker.Bodies()[5..].Order());
    }

    /// <summary>
    /// Regression: the position moved durably only with a batch, at a stop or after 16,384 changes. A task whose script
    /// sends nothing for some of them was measured as behind, and was paused or dropped although it had read them all.
    /// </summary>
    [Theory]
    [InlineData("drop")]
    [InlineData("pause-and-resync")]
    public async Task A_task_that_sends_nothing_is_not_behind(string then)
    {
        await using var f = new RunnerFixture();
        await using var host = f.Start(SendsNothing(then));
        for (var round = 0; round < 5; round++)
        {
            // No more than are allowed to wait, since lag may be judged at any moment; together they are more.
            await f.PutManyAsync(round * 3, 3);
            Assert.True(await f.DrainAsync(host));
            await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition, TimeSpan.FromSeconds(1));
        }

        AssertIsKept(f, host);
    }

    [Theory]
    [InlineData("drop")]
    [InlineData("pause-and-resync")]
    public async Task What_was_passed_right_before_lag_is_judged_is_no_lag(string then)
    {
        await using var f = new RunnerFixture();
        await using var host = f.Start(SendsNothing(then));
        await f.PutManyAsync(0, 3);
        Assert.True(await f.DrainAsync(host));
        f.Time.Advance(TimeSpan.FromSeconds(9.5));
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition, TimeSpan.Zero);
        await f.PutManyAsync(3, 10);
        Assert.True(await f.DrainAsync(host));
        f.Time.Advance(TimeSpan.FromSeconds(0.6));
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition, TimeSpan.Zero);
        Assert.True(await f.DrainAsync(host));
        AssertIsKept(f, host);
    }

    /// <summary>
    /// Regression: a target that remembers more than the database, after a stop between the two, left the database's
    /// position behind until the next change.
    /// </summary>
    [Fact]
    public async Task A_position_that_only_the_target_knew_is_stored()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        await f.PutManyAsync(1, 3);
        await using (var host = f.NewHost(RunnerFixture.Task("t")))
        {
            f.Broker.AfterArrival = (_, _) => throw Away();
            host.Start();
            using var late = new CancellationTokenSource(RunnerFixture.Timeout);
            while (f.Broker.Bodies().Length == 0)
                await System.Threading.Tasks.Task.Delay(1, late.Token);
        }

        f.Broker.AfterArrival = null;
        Assert.Equal(0, f.DurablePosition("t"));
        await using var next = f.Start(RunnerFixture.Task("t"));
        await UntilAsync(f, () => f.DurablePosition("t") == f.Database.LastPosition);
        Assert.Equal(3, f.Broker.Bodies().Length);
    }

    /// <summary>
    /// The process dies at any point of a resync: in the end the target has every document, and each in its newest
    /// version last.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_resync_goes_on_after_a_stop(int seed)
    {
        var random = new Random(seed);
        await using var f = new RunnerFixture(new FakeBroker { Remembers = seed % 2 == 0 });
        await f.PutManyAsync(1, 40);
        var task = RunnerFixture.Task(
            "t",
            "if (!isDeleted) send(\"out\", doc.N, key: id);",
            more: """
            onDelete: event
                maxLag: { changes: 5 }
                then: pause-and-resync
                batch: { maxDocuments: 4, minDocuments: 4 }
            """
        );
        await f.RunToEndAsync(task);
        f.Broker.OnConnect = _ => throw Away();
        await f.PutManyAsync(41, 20);
        await f.Database.DeleteAsync("things/3");
        await using (var behind = f.Start(task))
            await UntilAsync(f, () => f.Feed.OpenCursor(Id, new CursorFilter(null, true)).AwaitsResync);
        await f.Database.Consumers.PurgeAsync();
        f.Broker.OnConnect = null;
        int before = f.Broker.Bodies().Length,
            stops = 0;
        var desk = new ReplayService(f.Database);
        for (var round = 0; round < 10; round++)
        {
            int most = random.Next(1, 5),
                sent = 0;
            var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            f.Broker.Gate = async (_, ct) =>
            {
                if (++sent <= most)
                    return;
                full.TrySetResult();
                await System.Threading.Tasks.Task.Delay(Timeout.Infinite, ct);
            };
            await using var host = f.Start(task);
            await UntilAsync(
                f,
                () =>
                    full.Task.IsCompleted
                    || (desk.Find("t") is null && f.DurablePosition("t") == f.Database.LastPosition)
            );
            stops++;
            await f.PutAsync($"things/{random.Next(4, 60)}", 1000 + round);
        }

        f.Broker.Gate = null;
        await using (var last = f.Start(task))
            await UntilAsync(f, () => desk.Find("t") is null && f.DurablePosition("t") == f.Database.LastPosition);
        Dictionary<string, string> target = [];
        foreach ((_, var message, var body) in f.Broker.Arrived.Skip(before))
            target[message.Key!] = body;
        using var snapshot = f.Database.OpenSnapshot();
        Assert.Equal(
            snapshot
                .GetByCollection("Things")
                .Select(d => $"{d.Id} {d.Body.Root["N"].GetInt64()}")
                .Order(StringComparer.Ordinal),
            target.Select(t => $"{t.Key} {t.Value}").Order(StringComparer.Ordinal)
        );
        Assert.True(stops > 2, $"{stops} stops");
    }

    private static ConnectorException Away() => new("c", "away", isTransient: true);

    private static string Task(string then) =>
        RunnerFixture.Task(
            "t",
            "if (isDeleted) send(\"out\", id, key: id);\nelse send(\"out\", doc.N, key: id);",
            more: $"onDelete: tombstone\n    maxLag: {{ changes: 3 }}\n    then: {then}"
        );

    private static string SendsNothing(string then) =>
        RunnerFixture.Task(
            "t",
            "if (doc.N > 100) send(\"out\", doc.N, key: id);",
            more: $"maxLag: {{ changes: 3 }}\n    then: {then}"
        );

    private static void AssertIsKept(RunnerFixture f, EtlHost host)
    {
        Assert.NotEqual(EtlTaskState.Failed, host.GetStatus()[0].State);
        Assert.Equal([Id], f.Database.Consumers.List().Select(c => c.Name));
        Assert.False(f.Feed.OpenCursor(Id, new CursorFilter(null, true)).AwaitsResync);
        Assert.Equal(0, f.Database.Consumers.Measure(Id)!.Pending.Changes);
    }

    /// <summary>A host whose target is away, with four new documents and a deletion before it.</summary>
    private static async Task<EtlHost> FallBehindAsync(RunnerFixture f, string then)
    {
        f.Broker.OnConnect = _ => throw Away();
        await f.Database.DeleteAsync("things/1");
        await f.PutManyAsync(6, 4);
        return f.Start(Task(then));
    }

    /// <summary>Moves the tasks' clock until it is so.</summary>
    private static async Task UntilAsync(RunnerFixture f, Func<bool> condition, TimeSpan? step = null)
    {
        using var late = new CancellationTokenSource(RunnerFixture.Timeout);
        while (!condition())
        {
            await System.Threading.Tasks.Task.Delay(1, late.Token);
            f.Time.Advance(step ?? TimeSpan.FromSeconds(5));
        }
    }
}
