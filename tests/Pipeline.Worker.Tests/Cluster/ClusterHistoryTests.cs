using System.Net;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Metrics;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>The lags and the changes of leader that <c>/cluster/history</c> shows.</summary>
public sealed class ClusterHistoryTests
{
    private static readonly DateTimeOffset Noon = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public async Task Every_node_knows_the_elections_and_the_lags_and_a_restart_forgets_no_election()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var (first, second) = (leader.Cluster!.Self.Name, follower.Cluster!.Self.Name);
        using var handed = await cluster.Http.PostAsync(
            WorkerCluster.Url(leader, "/cluster/handover?to=" + second),
            null
        );
        Assert.Equal(HttpStatusCode.OK, handed.StatusCode);
        await cluster.LeaderAsync();
        await cluster.StopAsync(first);
        await cluster.StartAsync(first);
        await cluster.LeaderAsync();
        foreach (var name in cluster.Names)
        {
            var node = cluster[name];
            await cluster.UntilAsync(() => ElectionsOf(node).Count >= 2, $"{name} knows no elections");
            var elections = ElectionsOf(node);
            Assert.Equal([first, second], elections.Take(2).Select(e => e.Leader));
            Assert.True(elections[0].Epoch < elections[1].Epoch);
            Assert.True(elections[0].Time <= elections[1].Time);

            // On a busy machine the leader may have to claim again, and has no lag meanwhile.
            JsonElement status;
            List<JsonElement> nodes;
            do
            {
                status = await cluster.GetAsync(node, "/cluster/status");
                nodes = [.. status.GetProperty("nodes").EnumerateArray()];
            } while (nodes.Exists(n => n.GetProperty("lagSeconds").ValueKind == JsonValueKind.Null));
            Assert.Equal(ElectionsOf(node)[^1].Time, status.GetProperty("since").GetDateTimeOffset());
            Assert.All(nodes, n => Assert.NotEqual("", n.GetProperty("version").GetString()));
            Assert.All(nodes, n => Assert.True(n.GetProperty("lagSeconds").GetDouble() >= 0));

            // The next values come within two seconds.
            JsonElement series;
            do
            {
                series = (await cluster.GetAsync(node, "/cluster/history?seconds=60")).GetProperty("series");
            } while (cluster.Names.Any(n => !series.TryGetProperty($"node/{n}/lag", out _)));
            Assert.True(series.TryGetProperty($"node/{first}/lagSeconds", out _));
        }
    }

    [Fact]
    public async Task An_unreachable_node_has_the_time_of_its_last_answer()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var gone = follower.Cluster!.Self.Name;
        while (!(await SeriesOfAsync(cluster, leader)).TryGetProperty($"node/{gone}/lag", out _))
            await cluster.LeaderAsync();
        await cluster.StopAsync(gone);
        var status = await cluster.GetAsync(leader, "/cluster/status");
        var node = status.GetProperty("nodes").EnumerateArray().Single(n => n.GetProperty("node").GetString() == gone);
        Assert.Equal("unreachable", node.GetProperty("role").GetString());
        Assert.True(node.GetProperty("answered").GetDateTimeOffset() <= DateTimeOffset.UtcNow);
        Assert.False(node.TryGetProperty("lag", out var lag) && lag.ValueKind == JsonValueKind.Number);
    }

    [Fact]
    public void A_copy_is_as_old_as_the_last_moment_at_which_the_leader_had_no_more()
    {
        var leader = new LeaderProgress(3);
        Assert.Equal(TimeSpan.Zero, leader.AgeOf(7, Noon, 7));
        Assert.Equal(TimeSpan.Zero, leader.AgeOf(6, Noon, 7));
        leader.Add(Noon, 100);
        leader.Add(Noon.AddSeconds(2), 100);
        leader.Add(Noon.AddSeconds(4), 120);
        var now = Noon.AddSeconds(6);
        Assert.Equal(TimeSpan.Zero, leader.AgeOf(130, now, 130));
        Assert.Equal(TimeSpan.FromSeconds(2), leader.AgeOf(120, now, 130));
        Assert.Equal(TimeSpan.FromSeconds(1), leader.AgeOf(125, now, 130));
        Assert.Equal(TimeSpan.FromSeconds(3), leader.AgeOf(110, now, 130));
        // It was idle from noon on, so the copy was up to date until two seconds later.
        Assert.Equal(TimeSpan.FromSeconds(4), leader.AgeOf(100, now, 130));
        Assert.Equal(TimeSpan.FromSeconds(6), leader.AgeOf(1, now, 130));
        leader.Add(now, 130);
        Assert.Equal(TimeSpan.FromSeconds(4), leader.AgeOf(1, now, 130));
    }

    [Fact]
    public async Task An_election_is_noted_once_and_the_last_hundred_stay()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "elections" });
        var history = new ElectionHistory(database);
        Assert.Empty(history.Read());
        for (var epoch = 1; epoch <= 101; epoch++)
        {
            await history.AddAsync(new Election(epoch, "n1", Noon.AddMinutes(epoch)), CancellationToken.None);
            await history.AddAsync(new Election(epoch, "n1", Noon.AddHours(epoch)), CancellationToken.None);
        }
        var elections = history.Read();
        Assert.Equal(Enumerable.Range(2, 100).Select(e => (long)e), elections.Select(e => e.Epoch));
        Assert.Equal(new Election(101, "n1", Noon.AddMinutes(101)), elections[^1]);
    }

    [Fact]
    public void The_history_has_gaps_where_a_node_did_not_answer()
    {
        var history = new ClusterHistory();
        var leader = new NodeView("n1", "http://n1", "leader") { Transaction = 10 };
        var follower = new NodeView("n2", "http://n2", "follower") { Transaction = 8 };
        var away = new NodeView("n2", "http://n2", "unreachable");
        history.Add(Noon, history.WithLags([leader, follower], 10, Noon));
        var later = Noon + HistoryView.Interval;
        var seen = history.WithLags([leader, away], 10, later);
        history.Add(later, seen);
        Assert.Equal(Noon, seen[1].Answered);
        Assert.Null(seen[1].Lag);
        var view = history.Read(TimeSpan.FromMinutes(1), 100);
        Assert.Equal([0, 0], view.Series["node/n1/lag"]);
        Assert.Equal([2, null], view.Series["node/n2/lag"]);
        Assert.Equal((later, 2.0), (view.Last, view.SecondsPerPoint));
    }

    private static IReadOnlyList<Election> ElectionsOf(Pipeline.Hosting.PipelineWorker node) =>
        node.Cluster!.ReadHistory(TimeSpan.FromMinutes(1), 10).Elections;

    private static async Task<JsonElement> SeriesOfAsync(WorkerCluster cluster, Pipeline.Hosting.PipelineWorker node) =>
        (await cluster.GetAsync(node, "/cluster/history")).GetProperty("series");
}
