using System.Net;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Three workers, one database: any of them takes any request, one of them works.</summary>
public sealed class WorkerClusterTests
{
    private const string Tasks = """
        connections: { files: { files: { directory: ./sent } } }
        etl: [ { name: orders, from: [Orders], to: files, transform: 'send("orders", new { Id = id }, key: id);' } ]
        subscriptions: [ { name: all, collections: [Orders] } ]
        """;

    [Fact]
    public async Task A_follower_passes_writes_and_reads_on_and_every_node_gets_the_same_bytes()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(follower, "orders/1", 7));
        foreach (var node in cluster.Names)
        {
            var read = await cluster.GetAsync(cluster[node], "/databases/shop/docs?id=orders/1");
            Assert.Equal(7, read.GetProperty("Results")[0].GetProperty("Number").GetInt32());
        }

        // A copy may be asked, as of a position.
        var position = leader.Database.LastPosition.ToString(System.Globalization.CultureInfo.InvariantCulture);
        var own = await cluster.GetAsync(
            follower,
            "/databases/shop/docs?id=orders/1",
            ("Pipeline-Read", "follower"),
            ("Pipeline-Wait-For-Position", position)
        );
        Assert.Equal(7, own.GetProperty("Results")[0].GetProperty("Number").GetInt32());

        using var verified = await cluster.Http.PostAsync(WorkerCluster.Url(follower, "/cluster/verify"), null);
        var text = await verified.Content.ReadAsStringAsync();
        Assert.True(JsonDocument.Parse(text).RootElement.GetProperty("areEqual").GetBoolean(), text);
    }

    [Fact]
    public async Task A_request_that_reaches_the_former_leader_is_passed_on_once_more_and_no_further()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 7));

        foreach (var node in (string[])["another", leader.Cluster!.Self.Name])
        {
            var read = await cluster.GetAsync(
                follower,
                "/databases/shop/docs?id=orders/1",
                ("Pipeline-Forwarded-By", node)
            );
            Assert.Equal(7, read.GetProperty("Results")[0].GetProperty("Number").GetInt32());
        }
        using var request = new HttpRequestMessage(
            HttpMethod.Get,
            WorkerCluster.Url(follower, "/databases/shop/docs?id=orders/1")
        );
        request.Headers.Add("Pipeline-Forwarded-By", "one, another");
        using var refused = await cluster.Http.SendAsync(request);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
    }

    [Fact]
    public async Task A_browser_may_use_any_node_but_no_page_of_another_site_may()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        foreach (var node in (PipelineWorker[])[leader, follower])
        {
            var own = WorkerCluster.Url(node, "/").GetLeftPart(UriPartial.Authority);
            Assert.Equal(HttpStatusCode.OK, await BrowseAsync("/stats", ("Sec-Fetch-Site", "same-origin")));
            Assert.Equal(HttpStatusCode.OK, await BrowseAsync("/stats", ("Origin", own)));
            Assert.Equal(HttpStatusCode.OK, await BrowseAsync("/stats", ("Referer", own + "/")));
            Assert.Equal(HttpStatusCode.Forbidden, await BrowseAsync("/stats", ("Sec-Fetch-Site", "cross-site")));
            Assert.Equal(HttpStatusCode.Forbidden, await BrowseAsync("/stats", ("Origin", "http://elsewhere")));
            Assert.Equal(HttpStatusCode.Forbidden, await BrowseAsync("/stats"));
            // A GET that changes something is for no browser.
            Assert.Equal(
                HttpStatusCode.Forbidden,
                await BrowseAsync("/databases/shop/hilo/next?tag=orders", ("Sec-Fetch-Site", "same-origin"))
            );

            async Task<HttpStatusCode> BrowseAsync(string path, params (string Name, string Value)[] headers)
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, WorkerCluster.Url(node, path));
                request.Headers.TryAddWithoutValidation("User-Agent", "Mozilla/5.0");
                foreach (var (name, value) in headers)
                    request.Headers.TryAddWithoutValidation(name, value);
                using var answer = await cluster.Http.SendAsync(request);
                return answer.StatusCode;
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_read_can_ask_the_log_whether_the_leader_still_leads(bool byConfiguration)
    {
        await using var cluster = await WorkerCluster.StartAsync(2, cluster: byConfiguration ? ", reads: log" : "");
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 7));
        (string, string)[] headers = byConfiguration ? [] : [("Pipeline-Read", "log")];
        foreach (var node in (PipelineWorker[])[leader, follower])
        {
            // A beat comes twice a second by itself, and a hundred reads take less than 25 s.
            var before = (await cluster.LogBoundsAsync()).End;
            for (var i = 0; i < 100; i++)
            {
                var read = await cluster.GetAsync(node, "/databases/shop/docs?id=orders/1", headers);
                Assert.Equal(7, read.GetProperty("Results")[0].GetProperty("Number").GetInt32());
            }
            Assert.InRange((await cluster.LogBoundsAsync()).End - before, 100, long.MaxValue);
        }
    }

    [Fact]
    public async Task Each_node_names_all_nodes_and_the_leader_first()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var leader = await cluster.LeaderAsync();
        foreach (var node in cluster.Names)
        {
            var topology = await cluster.GetAsync(cluster[node], "/topology?name=shop");
            var nodes = topology.GetProperty("Nodes").EnumerateArray().ToList();
            Assert.Equal(3, nodes.Count);
            Assert.Equal(leader.Cluster!.Self.Name, nodes[0].GetProperty("ClusterTag").GetString());
            Assert.Equal(
                leader.Cluster.Self.Url.GetLeftPart(UriPartial.Authority),
                nodes[0].GetProperty("Url").GetString()
            );

            var status = await cluster.GetAsync(cluster[node], "/cluster/status");
            Assert.Equal(leader.Cluster.Self.Name, status.GetProperty("leader").GetString());
            Assert.Equal(
                ["follower", "follower", "leader"],
                status.GetProperty("nodes").EnumerateArray().Select(n => n.GetProperty("role").GetString()!).Order()
            );
            var ready = await cluster[node].CheckReadyAsync();
            Assert.True(ready.IsReady, string.Join("; ", ready.Checks));
            Assert.Contains(ready.Checks, c => c is { Name: "cluster", Ok: true });
        }
        Assert.Contains(
            "pipeline_cluster_leads",
            await cluster.Http.GetStringAsync(WorkerCluster.Url(leader, "/metrics")),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Tasks_and_subscriptions_follow_the_leader_and_go_on_from_their_positions()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, Tasks);
        var first = await cluster.LeaderAsync();
        for (var i = 1; i <= 20; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(first, $"orders/{i}", i));
        await cluster.UntilAsync(() => Sent(cluster).Count == 20, "the task has not sent all");
        Assert.Equal("all", Assert.Single(first.Subscriptions.Names()));
        var follower = await cluster.FollowerAsync();
        Assert.Empty(follower.GetTasks());
        await Assert.ThrowsAsync<Pipeline.Storage.NotLeaderException>(() =>
            follower.Subscriptions.ConnectAsync("all", new SubscriptionWorkerOptions())
        );

        var to = follower.Cluster!.Self.Name;
        using var handed = await cluster.Http.PostAsync(
            WorkerCluster.Url(follower, "/cluster/handover?to=" + to),
            null
        );
        Assert.True(handed.IsSuccessStatusCode, await handed.Content.ReadAsStringAsync());
        var second = await cluster.HandOverAsync(to);
        for (var i = 21; i <= 40; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(first, $"orders/{i}", i));
        await cluster.UntilAsync(() => Sent(cluster).Count >= 40, "the next task has not sent all");
        Assert.Equal(40, Sent(cluster).Distinct().Count());
        Assert.Equal(40, Sent(cluster).Count);
        Assert.Empty(first.GetTasks());
        Assert.Single(second.GetTasks());
    }

    [Fact]
    public async Task A_leader_that_stops_in_order_hands_over_and_comes_back_as_a_follower()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var first = (await cluster.LeaderAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(first);
        var second = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(second, "orders/1", 1));
        await cluster.StartAsync(first);
        await cluster.LeaderAsync();
        await cluster.UntilAsync(
            () => cluster[first].Database.LastPosition == second.Database.LastPosition,
            "the node that came back is behind"
        );
        Assert.Equal(second.Database.Id, cluster[first].Database.Id);
    }

    [Fact]
    public async Task A_request_does_not_wait_for_a_leader_that_stands_still_while_another_leads()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, proxied: true);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var next = cluster.Names.First(n => cluster[n] != leader && cluster[n] != follower);
        var proxy = cluster.Proxies[leader.Cluster!.Self.Name];
        proxy.StandsStill = true;
        var put = cluster.PutAsync(follower, "orders/1", 1);
        await proxy.IsHolding.WaitAsync(TimeSpan.FromSeconds(60));
        await leader.Cluster.HandOverAsync(next, CancellationToken.None);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await put.WaitAsync(TimeSpan.FromSeconds(60)));
        await cluster.UntilAsync(() => cluster[next].Acts, "the next node does not lead");
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(follower, "orders/1", 1));
    }

    [Fact]
    public async Task A_node_that_has_ended_is_unreachable_and_can_be_removed()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.LeaderAsync();
        var gone = cluster.Names.First(n => n != leader.Cluster!.Self.Name);
        using var refused = await cluster.Http.DeleteAsync(WorkerCluster.Url(leader, "/cluster/nodes?name=" + gone));
        Assert.Equal(HttpStatusCode.Conflict, refused.StatusCode);
        Assert.Contains("still runs", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        await cluster.StopAsync(gone);
        var status = await cluster.GetAsync(leader, "/cluster/status");
        Assert.Contains(
            status.GetProperty("nodes").EnumerateArray(),
            n => n.GetProperty("node").GetString() == gone && n.GetProperty("role").GetString() == "unreachable"
        );
        using var removed = await cluster.Http.DeleteAsync(WorkerCluster.Url(leader, "/cluster/nodes?name=" + gone));
        Assert.Equal(HttpStatusCode.OK, removed.StatusCode);
        await cluster.UntilAsync(() => leader.Cluster!.Nodes.Count == 1, "the node is still known");
    }

    [Fact]
    public async Task Once_is_refused_because_a_node_runs_until_it_is_stopped()
    {
        await using var cluster = await WorkerCluster.StartAsync(1);
        var worker = await cluster.LeaderAsync();
        var refused = await Assert.ThrowsAsync<WorkerException>(() => worker.RunOnceAsync());
        Assert.Contains("--once", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_is_alone_says_so()
    {
        using var folder = new TestFolder();
        var file = folder.Write("pipeline.yaml", "version: 1\ndatabase: { name: shop, path: ./data }\n");
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = file,
                Listens = true,
                Url = new Uri("http://127.0.0.1:0"),
            }
        );
        using var http = new HttpClient();
        using var answer = await http.GetAsync(new Uri(worker.Address!, "/cluster/status"));
        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        Assert.Contains("is alone", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    private static List<string> Sent(WorkerCluster cluster)
    {
        var folder = cluster.Folder["sent"];
        if (!Directory.Exists(folder))
            return [];
        return
        [
            .. Directory
                .GetFiles(folder, "orders.jsonl")
                .SelectMany(OpenFile.ReadLines)
                .Where(l => l.EndsWith('}'))
                .Select(l => JsonDocument.Parse(l).RootElement.GetProperty("id").GetString()!),
        ];
    }
}
