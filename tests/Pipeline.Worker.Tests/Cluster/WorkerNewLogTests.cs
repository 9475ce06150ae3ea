using System.Net;
using System.Text.Json;
using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>
/// A log begins with a database that was alone, whose log was ended, or whose log was lost.
/// </summary>
public sealed class WorkerNewLogTests
{
    private const string Index =
        "indexes: [ { name: numbers, maps: ['from o in docs.Orders select new { o.Number }'] } ]";

    [Fact]
    public async Task A_database_that_was_alone_becomes_a_cluster()
    {
        string? vector = null;
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            Index,
            before: async made =>
            {
                var folder = made.FolderOf("n1");
                await using (var alone = DocumentDatabase.Open(new DatabaseOptions { Name = "shop", Path = folder }))
                {
                    for (var i = 1; i <= 50; i++)
                    {
                        await alone.PutAsync(
                            $"orders/{i}",
                            """{"Number":1,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
                        );
                    }
                    using var before = alone.OpenSnapshot();
                    Assert.True(before.TryGet("orders/1", out var first));
                    vector = first.ChangeVector;
                }
                var run = await BeginAsync(made, "n1");
                Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
                Assert.Contains("begins with the database of n1", run.Out, StringComparison.Ordinal);
                Assert.DoesNotContain("etl resume", run.Out, StringComparison.Ordinal);
            }
        );
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/51", 1));
        await cluster.VerifyAsync();
        foreach (var name in (string[])["n2", "n3"])
        {
            Assert.Contains(
                cluster.Lines.Lines,
                l => l.Contains($"{name} was filled from n", StringComparison.Ordinal)
            );
        }
        Assert.All(cluster.Names, n => Assert.True(cluster[n].Database.Lineages.IsInitial));
        var follower = await cluster.FollowerAsync();
        using var snapshot = follower.Database.OpenSnapshot();
        Assert.Equal(51, snapshot.GetByCollection("Orders").Count());
        Assert.True(snapshot.TryGet("orders/1", out var same));
        Assert.Equal(vector, same.ChangeVector);
    }

    [Fact]
    public async Task A_database_that_was_alone_says_how_it_becomes_a_cluster()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            1,
            before: async made =>
            {
                await using var alone = DocumentDatabase.Open(
                    new DatabaseOptions { Name = "shop", Path = made.FolderOf("n1") }
                );
                await alone.PutAsync("a", "{}"u8.ToArray());
            }
        );
        var node = cluster["n1"].Cluster!;
        await cluster.UntilAsync(() => node.Status.Stop == NodeStop.AheadOfLog, "n1 goes on");
        Assert.Contains("pipeline cluster begin", node.View().Problem!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cluster_moves_to_another_log_without_a_copy_and_without_a_lost_change()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            Index,
            log: ", trim: { every: 50ms, keepRecords: 20 }"
        );
        var written = await cluster.WriteUntilTrimmedAsync();
        var leader = await cluster.LeaderAsync();
        var epoch = leader.Cluster!.Status.Epoch;
        var ended = await WorkerRun.InvokeAsync([
            "cluster",
            "end",
            "log-2",
            "--json",
            "--url",
            leader.Cluster.Self.Url.ToString(),
        ]);
        Assert.True(ended.ExitCode == ExitCodes.Success, ended.Error + ended.Out);
        using (var json = JsonDocument.Parse(ended.Out))
        {
            Assert.Equal(
                ["n1", "n2", "n3"],
                json.RootElement.GetProperty("nodes")
                    .EnumerateArray()
                    .Select(n => n.GetString()!)
                    .Order(StringComparer.Ordinal)
            );
        }
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await cluster.PutAsync(leader, "orders/late", 1));
        var problem = cluster["n2"].Cluster!.View().Problem!;
        Assert.StartsWith("the log has ended, and log-2 continues.", problem, StringComparison.Ordinal);
        Assert.False((await cluster["n2"].CheckReadyAsync()).IsReady);
        // Copies stay readable.
        await cluster.GetAsync(cluster["n2"], "/databases/shop/docs?id=orders/1", ("Pipeline-Read", "follower"));
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);

        cluster.Change("directory: ./log,", "directory: ./log-2,");
        var told = cluster.Lines.Lines.Count;
        var begun = await BeginAsync(cluster, "n2");
        Assert.True(begun.ExitCode == ExitCodes.Success, begun.Error);
        Assert.DoesNotContain("etl resume", begun.Out, StringComparison.Ordinal);
        // Another node cannot begin it, too.
        var second = await BeginAsync(cluster, "n3");
        Assert.Equal(ExitCodes.Failed, second.ExitCode);
        Assert.Contains("is in use: it has 1 record.", second.Error, StringComparison.Ordinal);
        foreach (var name in cluster.Names)
            await cluster.StartAsync(name);
        leader = await cluster.LeaderAsync();
        Assert.True(leader.Cluster!.Status.Epoch > epoch);
        Assert.True(await cluster.WriteUntilTrimmedAsync(written, "log-2") > written);
        await cluster.VerifyAsync();
        Assert.DoesNotContain(
            cluster.Lines.Lines.Skip(told),
            l => l.Contains(" was filled from ", StringComparison.Ordinal)
        );
        Assert.All(cluster.Names, n => Assert.True(cluster[n].Database.Lineages.IsInitial));
        using var snapshot = leader.Database.OpenSnapshot();
        for (var i = 1; i <= written; i++)
            Assert.True(snapshot.TryGet($"orders/{i}", out _), $"orders/{i}");
        Assert.False(snapshot.TryGet("orders/late", out _));
    }

    [Fact]
    public async Task A_cluster_that_lost_its_log_goes_on_with_what_a_node_has_if_a_person_accepts_that()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.LeaderAsync();
        for (var i = 1; i <= 20; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/{i}", i));
        await cluster.VerifyAsync();
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);
        Directory.Delete(cluster.Folder["log"], recursive: true);

        var refused = await BeginAsync(cluster, "n1");
        Assert.Equal(ExitCodes.Usage, refused.ExitCode);
        Assert.Contains("has not read its end", refused.Error, StringComparison.Ordinal);
        var begun = await BeginAsync(cluster, "n1", "--accept-loss");
        Assert.True(begun.ExitCode == ExitCodes.Success, begun.Error);
        Assert.Contains("etl resume", begun.Out, StringComparison.Ordinal);
        await cluster.StartAsync("n1");
        await cluster.UntilAsync(() => cluster["n1"].Acts, "n1 does not lead");
        Assert.False(cluster["n1"].Database.Lineages.IsInitial);
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n1"], "orders/21", 21));

        // The other one has read another log, and is filled once a person says so.
        await cluster.StartAsync("n2");
        await cluster.UntilAsync(() => cluster["n2"].Cluster!.Status.Stop == NodeStop.AheadOfLog, "n2 goes on");
        var refill = await WorkerRun.InvokeAsync(
            "cluster",
            "refill",
            "--url",
            cluster["n2"].Cluster!.Self.Url.ToString()
        );
        Assert.True(refill.ExitCode == ExitCodes.Success, refill.Error);
        await cluster.StartAgainAsync("n2");
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Fact]
    public async Task What_only_a_node_of_the_lost_log_may_have_is_not_overwritten_by_a_copy()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            2,
            log: ", trim: { every: 50ms, keepRecords: 20, copies: 1 }"
        );
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(await cluster.LeaderAsync(), "orders/1", 1));
        await cluster.VerifyAsync();
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);
        Directory.Delete(cluster.Folder["log"], recursive: true);
        Assert.Equal(ExitCodes.Success, (await BeginAsync(cluster, "n1", "--accept-loss")).ExitCode);
        await cluster.StartAsync("n1");
        await cluster.WriteUntilTrimmedAsync(1);

        var starts = cluster.StartAsync("n2");
        await cluster.UntilAsync(
            () => cluster.Lines.Lines.Any(l => l.Contains("has read another log", StringComparison.Ordinal)),
            "n2 says nothing"
        );
        Assert.True(File.Exists(Path.Combine(cluster.FolderOf("n2"), "pipeline.data")));
        Directory.Move(cluster.FolderOf("n2"), cluster.FolderOf("n2") + ".old");
        await starts;
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Fact]
    public async Task A_backup_of_another_log_says_how_it_begins_a_new_one()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            1,
            "backups: [ { name: nightly, to: { folder: ./bak } } ]"
        );
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 1));
        Assert.Null(Assert.Single((await leader.Backups.RunAsync("nightly")).Destinations).Error);
        await cluster.StopAsync("n1");
        Directory.Delete(cluster.FolderOf("n1"), recursive: true);
        Directory.Delete(cluster.Folder["log"], recursive: true);
        var restored = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--from",
            cluster.Folder["bak"],
            "--to",
            cluster.FolderOf("n1")
        );
        Assert.True(restored.ExitCode == ExitCodes.Success, restored.Error);
        var refused = await Assert.ThrowsAsync<WorkerException>(() => cluster.StartAsync("n1"));
        Assert.Contains("needs another log", refused.Message, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Usage, (await BeginAsync(cluster, "n1")).ExitCode);
        var begun = await BeginAsync(cluster, "n1", "--accept-loss");
        Assert.True(begun.ExitCode == ExitCodes.Success, begun.Error);
        await cluster.StartAsync("n1");
        await cluster.UntilAsync(() => cluster["n1"].Acts, "n1 does not lead");
        using var snapshot = cluster["n1"].Database.OpenSnapshot();
        Assert.True(snapshot.TryGet("orders/1", out _));
        Assert.False(cluster["n1"].Database.Lineages.IsInitial);
    }

    [Fact]
    public async Task A_beginning_needs_a_cluster_and_a_database()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            1,
            before: async made =>
            {
                var empty = await BeginAsync(made, "n1");
                Assert.Equal(ExitCodes.Usage, empty.ExitCode);
                Assert.Contains("there is no database in", empty.Error, StringComparison.Ordinal);
            }
        );
        var running = await BeginAsync(cluster, "n1");
        Assert.Equal(ExitCodes.Usage, running.ExitCode);
        Assert.Contains("is in use by", running.Error, StringComparison.Ordinal);
        var alone = cluster.Folder.Write("alone.yaml", "version: 1\ndatabase: { name: shop, path: ./alone }\n");
        var run = await WorkerRun.InvokeAsync("cluster", "begin", "--config", alone);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("has no section 'cluster'", run.Error, StringComparison.Ordinal);
    }

    private static Task<WorkerRun> BeginAsync(WorkerCluster cluster, string node, params string[] more) =>
        WorkerRun.InvokeAsync(["cluster", "begin", "--config", cluster.FileOf(node), .. more]);
}
