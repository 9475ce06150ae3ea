using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Replays;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

public sealed class ReplayTests
{
    private static readonly string Plain = RunnerFixture.Task(
        "t",
        "send(\"out\", doc.N, key: id);",
        more: "batch: { maxDocuments: 10, minDocuments: 10 }"
    );

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stretch_is_sent_again_with_the_same_ids_while_the_position_stays(bool remembers)
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = remembers });
        await f.PutManyAsync(0, 30);
        await using var host = f.Start(Plain);
        Assert.True(await f.DrainAsync(host));
        var first = f.Broker.Ids();
        await BeginAsync(f, host, new ReplayRequest { From = 11 });
        Assert.Equal(
            Enumerable.Range(0, 30).Concat(Enumerable.Range(10, 20)).Select(n => n.ToString()),
            f.Broker.Bodies()
        );
        Assert.Equal(first[10..], f.Broker.Ids()[30..]);
        Assert.Equal(f.Database.LastPosition, host.GetStatus()[0].Position);
        await f.PutAsync("things/0", 100);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal("100", f.Broker.Bodies()[^1]);

        // The replay's end is durable a moment before it is shown; the change behind it comes after both.
        Assert.Null(host.GetStatus()[0].Replay);
    }

    [Fact]
    public async Task What_has_changed_since_comes_once_and_newer_messages_of_a_key_win()
    {
        await using var f = new RunnerFixture();
        var task = RunnerFixture.Task(
            "t",
            "send(\"out\", doc.N, key: \"k\" + doc.N % 5);",
            more: "batch: { maxDocuments: 10, minDocuments: 10 }"
        );
        await f.PutManyAsync(0, 40);
        await using var host = f.Start(task);
        Assert.True(await f.DrainAsync(host));
        var batches = 0;
        var changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        f.Broker.Gate = async (_, ct) =>
        {
            // While the replay is on its way, the keys k1 and k2 get newer messages.
            if (++batches != 1)
                return;
            await f.PutAsync("things/1", 1001);
            await f.PutAsync("things/new", 1002);
            changed.SetResult();
        };
        await BeginAsync(f, host, new ReplayRequest { From = 1 });
        await changed.Task.WaitAsync(RunnerFixture.Timeout);
        Assert.True(await f.DrainAsync(host));
        OutgoingMessage[] arrived = [.. f.Broker.Arrived.Skip(40).Select(a => a.Message)];
        foreach (var key in arrived.GroupBy(m => m.Key))
        {
            long[] positions = [.. key.Select(m => m.Position)];
            Assert.Equal(positions.Order(), positions);
        }

        Assert.Equal(1, arrived.Count(m => m.Subject == "things/1" && m.Position > 40));
        Assert.Equal(24, arrived.Count(m => m.Key is "k0" or "k3" or "k4"));
    }

    [Fact]
    public async Task The_documents_of_a_query_are_sent_again()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 30);
        await using var host = f.Start(Plain);
        Assert.True(await f.DrainAsync(host));
        await BeginAsync(f, host, new ReplayRequest { Query = "from Things where N >= 25 or N = 3" });
        Assert.Equal(["3", "25", "26", "27", "28", "29"], f.Broker.Bodies()[30..]);
    }

    [Fact]
    public async Task Since_a_time_is_from_the_first_change_of_it()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 5);
        f.DatabaseTime.Advance(TimeSpan.FromHours(1));
        var since = f.DatabaseTime.GetUtcNow();
        await f.PutManyAsync(5, 3);
        await using var host = f.Start(Plain);
        Assert.True(await f.DrainAsync(host));
        await BeginAsync(f, host, new ReplayRequest { Since = since });
        Assert.Equal(["5", "6", "7"], f.Broker.Bodies()[8..]);
    }

    [Fact]
    public async Task A_replay_goes_on_after_a_stop_where_it_was()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 50);
        var host = f.Start(Plain);
        Assert.True(await f.DrainAsync(host));
        var third = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var batches = 0;
        f.Broker.Gate = async (_, ct) =>
        {
            if (++batches < 3)
                return;
            third.TrySetResult();
            await Task.Delay(Timeout.Infinite, ct);
        };
        var desk = new ReplayService(f.Database);
        await desk.StartAsync("t", new ReplayRequest { From = 0 });
        host.Wake("t");
        await third.Task.WaitAsync(RunnerFixture.Timeout);
        await host.DisposeAsync();
        Assert.Equal(20, desk.Find("t")!.At);
        await Assert.ThrowsAsync<ReplayException>(() => desk.StartAsync("t", new ReplayRequest { From = 0 }));
        f.Broker.Gate = null;
        await using var second = f.Start(Plain);
        await DoneAsync(desk);
        Assert.Equal(
            Enumerable.Range(0, 50).Concat(Enumerable.Range(0, 50)).Select(n => n.ToString()),
            f.Broker.Bodies()
        );
    }

    [Fact]
    public async Task A_dry_run_says_what_would_be_sent_and_a_canceled_one_sends_no_more()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 20);
        var yaml =
            "version: 1\ndatabase: { name: test, path: . }\nconnections: { c: { fake: } }\netl:\n"
            + RunnerFixture.Task(
                "t",
                "if (doc.N == 7) throw new Exception(\"no sevens\");\nsend(\"out\" + doc.N % 2, doc.N);"
            );
        var configuration = PipelineConfiguration.Parse(
            yaml,
            "f.yaml",
            FixedVariables.None,
            new ConnectorCatalog([new FakeDefinition(f.Broker)])
        );
        var desk = new ReplayService(f.Database);
        var trial = await desk.TryAsync("test", configuration.Etl[0], new ReplayRequest { From = 5 });
        Assert.Equal((16, 1, "no sevens"), (trial.Documents, trial.Failed, trial.Errors["things/7"]));
        Assert.Equal([("out0", 8L), ("out1", 7L)], trial.Messages.Select(m => (m.Key, m.Value)));
        Assert.StartsWith("out0 - things/4: 4", trial.Sample[0], StringComparison.Ordinal);
        Assert.Null(desk.Find("t"));
        await Assert.ThrowsAsync<ReplayException>(() => desk.StartAsync("t", new ReplayRequest()));
        await Assert.ThrowsAsync<ReplayException>(() => desk.StartAsync("t", new ReplayRequest { From = 99 }));
        await Assert.ThrowsAsync<ReplayException>(() =>
            desk.StartAsync("t", new ReplayRequest { Query = "from Things select N" })
        );
        await desk.StartAsync("t", new ReplayRequest { From = 5 });
        Assert.True(await desk.CancelAsync("t"));
        Assert.False(await desk.CancelAsync("t"));
        await f.RunToEndAsync(Plain);
        Assert.Equal(20, f.Broker.Bodies().Length);
    }

    private static async Task BeginAsync(RunnerFixture f, EtlHost host, ReplayRequest request)
    {
        var desk = new ReplayService(f.Database);
        await desk.StartAsync("t", request);
        host.Wake("t");
        await DoneAsync(desk);
    }

    private static async Task DoneAsync(ReplayService desk)
    {
        // The end of a replay is private state, which makes no change in the feed.
        using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
        while (desk.Find("t") is not null)
            await Task.Delay(1, timeout.Token);
    }
}
