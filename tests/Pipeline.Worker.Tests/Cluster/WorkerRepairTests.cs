using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Storage;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A node whose disk has damaged pages gets them from another node.</summary>
public sealed class WorkerRepairTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scrub_fetches_damaged_pages_from_another_node_and_tells(bool damagesLeader)
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.LeaderAsync();
        for (var i = 0; i < 300; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/{i}", i));
        var follower = await cluster.FollowerAsync();
        await cluster.UntilAsync(
            () =>
                follower.Database.Storage.LastCommittedTransaction >= leader.Database.Storage.LastCommittedTransaction,
            "the follower does not follow"
        );
        var node = damagesLeader ? leader : follower;
        node.Database.Storage.Flush();
        var name = node.Cluster!.Self.Name;
        var damaged = Damage(node, cluster.FolderOf(name));

        using var answer = await cluster.Http.PostAsync(WorkerCluster.Url(node, "/storage/scrub"), null);

        var text = await answer.Content.ReadAsStringAsync();
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        using var report = JsonDocument.Parse(text);
        Assert.Equal(0, report.RootElement.GetProperty("damagedPages").GetInt64());
        var repaired = report.RootElement.GetProperty("repaired").EnumerateArray().ToList();
        Assert.Contains(repaired, r => damaged.Contains(r.GetProperty("page").GetInt64()));
        var other = (damagesLeader ? follower : leader).Cluster!.Self.Name;
        Assert.All(repaired, r => Assert.Equal(other, r.GetProperty("source").GetString()));
        await cluster.VerifyAsync();
        Assert.Contains(cluster.Lines.Lines, l => l.Contains($"is repaired from {other}", StringComparison.Ordinal));
        var health = await cluster.GetAsync(node, "/health/ready");
        Assert.Contains("are repaired", health.ToString(), StringComparison.Ordinal);
        Assert.True((await node.Database.Storage.ScrubAsync()).IsSound);
    }

    [Fact]
    public async Task A_node_gives_no_page_that_it_does_not_use_and_says_what_is_wrong_with_a_request()
    {
        await using var cluster = await WorkerCluster.StartAsync(1);
        var node = await cluster.LeaderAsync();
        var cases = new (string Path, HttpStatusCode Status, string Text)[]
        {
            ("/cluster/page?page=900000&transaction=1", HttpStatusCode.Conflict, "does not use page 900000"),
            ("/cluster/page?page=2&transaction=900000", HttpStatusCode.Conflict, "has not reached transaction 900000"),
            ("/cluster/page?page=two&transaction=1", HttpStatusCode.BadRequest, "page must be a whole number"),
            ("/cluster/page?page=2", HttpStatusCode.BadRequest, "transaction"),
        };
        foreach (var (path, status, text) in cases)
        {
            using var answer = await cluster.Http.GetAsync(WorkerCluster.Url(node, path));
            Assert.Equal(status, answer.StatusCode);
            var json = await answer.Content.ReadFromJsonAsync<JsonElement>();
            Assert.Contains(text, json.GetProperty("error").GetString(), StringComparison.Ordinal);
        }
    }

    /// <summary>Damages half of the pages in use.</summary>
    private static HashSet<long> Damage(Pipeline.Hosting.PipelineWorker node, string folder)
    {
        var pages = new HashSet<long>();
        using (var read = node.Database.Storage.BeginRead())
        {
            var used = new UsedPages(read);
            while (used.MoveNext())
            {
                if (used.Number % 2 == 1 && used.Count == 1)
                    pages.Add(used.Number);
            }
        }
        using var file = File.OpenHandle(
            Path.Combine(folder, "pipeline.data"),
            FileMode.Open,
            FileAccess.ReadWrite,
            FileShare.ReadWrite
        );
        foreach (var page in pages)
            RandomAccess.Write(file, new byte[100], ((page + 1) << PageLayout.PageShift) - 4_000);
        return pages;
    }
}
