using System.Net;
using System.Security.Cryptography;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Nodes that lost their store, or have one of no use, come back with a copy of another node's.</summary>
public sealed class WorkerRefillTests
{
    private const string Trim = ", trim: { every: 50ms, keepRecords: 20 }";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_node_whose_folder_was_wiped_behind_a_trim_is_filled_with_its_indexes_and_is_equal(
        bool encrypted
    )
    {
        using var keys = new TestFolder();
        foreach (var name in (string[])["log", "n1", "n2", "n3"])
            keys.Write(name + ".key", Convert.ToHexString(RandomNumberGenerator.GetBytes(32)));
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            "indexes: [ { name: numbers, maps: ['from o in docs.Orders select new { o.Number }'] } ]",
            log: Trim + (encrypted ? $", encryption: {{ keyFile: '{keys["log.key"]}' }}" : ""),
            database: encrypted ? $", encryption: {{ keyFile: '{keys["$NODE.key"]}' }}" : ""
        );
        var written = await cluster.WriteUntilTrimmedAsync();
        var lost = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(lost);
        Directory.Delete(cluster.FolderOf(lost), recursive: true);
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/away", 1));

        await cluster.StartAsync(lost);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
        var lines = cluster.Lines.Lines.ToList();
        Assert.Contains(lines, l => l.Contains($"{lost} was filled from n", StringComparison.Ordinal));
        // The leader has enough to do, and the other follower has all.
        Assert.DoesNotContain(
            lines,
            l => l.Contains($"{leader.Cluster!.Self.Name} gave {lost} a copy", StringComparison.Ordinal)
        );
        var back = cluster[lost];
        Assert.NotEqual(0, back.Database.Indexes.Get("numbers")!.Position);
        using (var snapshot = back.Database.OpenSnapshot())
        {
            for (var i = 1; i <= written; i++)
                Assert.True(snapshot.TryGet($"orders/{i}", out _), $"orders/{i}");
        }

        // It can lead, too.
        Assert.Equal(back, await cluster.HandOverAsync(lost));
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(back, "orders/after", 1));
        await cluster.VerifyAsync();
        await using var log = await Pipeline.Cluster.DirectoryLog.OpenAsync(cluster.Folder["log"]);
        var first = (await log.GetBoundsAsync()).First;
        var records = (await log.ReadAsync(first, 1 << 20, TimeSpan.Zero)).Records;
        Assert.NotEmpty(records);
        Assert.All(records, r => Assert.Equal(encrypted, r.Span.StartsWith("PIPESEA1"u8)));
    }

    [Fact]
    public async Task A_copy_that_is_cut_begins_anew_and_the_node_says_so_and_passes_requests_on_meanwhile()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, log: Trim, proxied: true);
        await cluster.WriteUntilTrimmedAsync();
        var lost = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        var url = cluster[lost].Cluster!.Self.Url;
        await cluster.StopAsync(lost);
        Directory.Delete(cluster.FolderOf(lost), recursive: true);
        foreach (var (_, proxy) in cluster.Proxies)
            proxy.Most = 40_000;

        var starting = cluster.StartAsync(lost);
        // Two nodes can be copied, and both break off.
        await cluster.UntilAsync(
            () =>
                cluster
                    .Lines.Lines.Where(l => l.Contains($"{lost} is filled from", StringComparison.Ordinal))
                    .Distinct()
                    .Count() >= 2
                && cluster.Lines.Lines.Any(l => l.Contains($"{lost} was not filled", StringComparison.Ordinal)),
            "no copy was cut"
        );
        Assert.False(starting.IsCompleted);
        await cluster.UntilAsync(
            () => File.Exists(Path.Combine(cluster.FolderOf(lost), "pipeline.data.restoring")),
            "the unfinished copy looks like a store"
        );
        using (var ready = await cluster.Http.GetAsync(new Uri(url, "/health/ready")))
        {
            Assert.Equal(HttpStatusCode.OK, ready.StatusCode);
            Assert.Contains("degraded", await ready.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        }
        using (var read = await cluster.Http.GetAsync(new Uri(url, "/databases/shop/docs?id=orders/7")))
            Assert.Contains("\"Number\":7", await read.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        var status = await cluster.GetAsync(await cluster.LeaderAsync(exceptFor: lost), "/cluster/status");
        var node = status.GetProperty("nodes").EnumerateArray().First(n => n.GetProperty("node").GetString() == lost);
        Assert.Equal("filling", node.GetProperty("role").GetString());
        Assert.NotEqual("", node.GetProperty("doing").GetString());

        foreach (var (_, proxy) in cluster.Proxies)
            proxy.Most = long.MaxValue;
        await starting;
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_node_that_has_what_the_log_lost_is_given_up_by_request_exported_and_filled(bool keepsPlace)
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/both", 1));
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);
        var kept = cluster.Folder["kept"];
        CopyFolder(cluster.Folder["log"], kept);
        await cluster.StartAsync("n1");
        await cluster.UntilAsync(() => cluster["n1"].Acts, "n1 does not lead");
        var before = cluster["n1"].Cluster!.View().Place;
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n1"], "orders/only", 2));
        if (keepsPlace)
        {
            cluster["n1"].Database.Storage.Flush();
            await cluster.UntilAsync(() => cluster["n1"].Cluster!.KeptPlace > before, "n1 keeps no place");
        }
        await cluster.StopAsync("n1");
        // The log loses what n1 was told that it has, and others write on.
        Directory.Delete(cluster.Folder["log"], recursive: true);
        Directory.Move(kept, cluster.Folder["log"]);
        await cluster.StartAsync("n2");
        await cluster.StartAsync("n3");
        await cluster.UntilAsync(() => cluster["n2"].Acts || cluster["n3"].Acts, "nobody leads");
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n2"], "orders/others", 3));

        using (var refused = await RefillAsync(cluster, "n2"))
        {
            Assert.Equal(HttpStatusCode.Conflict, refused.StatusCode);
            Assert.Contains("works", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        }
        await cluster.StartAsync("n1");
        await cluster.UntilAsync(() => cluster["n1"].Cluster!.View().Role == "stopped", "n1 does not notice");
        Assert.False((await cluster["n1"].CheckReadyAsync()).IsReady);
        using (var accepted = await RefillAsync(cluster, "n1"))
            Assert.Equal(HttpStatusCode.OK, accepted.StatusCode);
        await cluster.StartAgainAsync("n1");

        var aside = cluster.FolderOf("n1") + ".quarantined-1";
        await cluster.UntilAsync(() => File.Exists(Path.Combine(aside, "only-here.jsonl")), "nothing was exported");
        var lines = await File.ReadAllTextAsync(Path.Combine(aside, "only-here.jsonl"));
        Assert.Contains("\"@id\":\"orders/only\"", lines, StringComparison.Ordinal);
        Assert.DoesNotContain("orders/both", lines, StringComparison.Ordinal);
        await cluster.VerifyAsync();
        using var snapshot = cluster["n1"].Database.OpenSnapshot();
        Assert.True(snapshot.TryGet("orders/others", out _));
        Assert.False(snapshot.TryGet("orders/only", out _));
    }

    [Fact]
    public async Task A_database_that_never_was_a_copy_of_the_cluster_is_not_filled_over()
    {
        await using var cluster = await WorkerCluster.StartAsync(2, log: Trim);
        await cluster.WriteUntilTrimmedAsync();
        var lost = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(lost);
        File.Delete(Path.Combine(cluster.FolderOf(lost), "log.position"));
        var refused = await Assert.ThrowsAsync<WorkerException>(() => cluster.StartAsync(lost));
        Assert.Contains("was never a copy of the cluster 'test'", refused.Message, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(cluster.FolderOf(lost), "pipeline.data")));
    }

    private static Task<HttpResponseMessage> RefillAsync(WorkerCluster cluster, string node) =>
        cluster.Http.PostAsync(WorkerCluster.Url(cluster[node], "/cluster/refill"), null);

    private static void CopyFolder(string from, string to)
    {
        foreach (var file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            var target = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }
}
