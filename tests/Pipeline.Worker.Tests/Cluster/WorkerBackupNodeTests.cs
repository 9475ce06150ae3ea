using System.Net;
using System.Text.Json;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Hosting;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>The node that the configuration names makes the backups; the leader records them.</summary>
public sealed class WorkerBackupNodeTests
{
    [Fact]
    public async Task A_follower_makes_the_backup_and_every_node_tells_of_it()
    {
        await using var cluster = await StartAsync("follower");
        var leader = await cluster.LeaderAsync();
        await WriteAsync(cluster, leader, 0);
        var made = await RunAsync(cluster, leader);
        Assert.NotEqual(leader.Database.Storage.StoreId, made.Store);
        var maker = Assert.Single(cluster.Names, n => cluster[n].Database.Storage.StoreId == made.Store);
        Assert.Contains(
            cluster.Lines.Lines,
            l =>
                l.Contains(
                    $"{maker} makes the backup nightly for {leader.Cluster!.Self.Name}",
                    StringComparison.Ordinal
                )
        );
        // Whoever makes the next one, it continues.
        await WriteAsync(cluster, leader, 100);
        Assert.Equal(made.Id, (await RunAsync(cluster, leader)).Parent);
        leader = await cluster.HandOverAsync(maker);
        await WriteAsync(cluster, leader, 200);
        var third = await RunAsync(cluster, leader);
        Assert.Equal(BackupKind.Incremental, third.Kind);
        Assert.NotEqual(leader.Database.Storage.StoreId, third.Store);

        var states = new HashSet<string>();
        foreach (var name in cluster.Names)
        {
            var state = await cluster.GetAsync(cluster[name], "/backups");
            Assert.Equal(3, state.GetProperty("history").GetArrayLength());
            Assert.Equal(third.Id, state.GetProperty("status")[0].GetProperty("backup").GetString());
            states.Add(state.GetRawText());
        }
        Assert.Single(states);
        Assert.Null(Assert.Single(await leader.Backups.DrillAsync("nightly")).Problem);
    }

    [Fact]
    public async Task A_named_node_makes_the_backup_as_follower_and_as_leader()
    {
        await using var cluster = await StartAsync("n2");
        foreach (var name in (string[])["n1", "n2", "n3"])
        {
            var leader = await cluster.HandOverAsync(name);
            await WriteAsync(cluster, leader, 0);
            Assert.Equal(cluster["n2"].Database.Storage.StoreId, (await RunAsync(cluster, leader)).Store);
        }
        Assert.DoesNotContain(
            cluster.Lines.Lines,
            l => l.Contains("makes the backup nightly itself", StringComparison.Ordinal)
        );
    }

    [Theory]
    [InlineData("follower")]
    [InlineData("n9")]
    public async Task Where_no_such_node_is_there_the_leader_makes_the_backup_and_says_so(string node)
    {
        await using var cluster = await StartAsync(node, count: 1);
        var leader = await cluster.LeaderAsync();
        leader.Cluster!.HelpTimeout = TimeSpan.FromMilliseconds(100);
        await WriteAsync(cluster, leader, 0);
        Assert.Equal(leader.Database.Storage.StoreId, (await RunAsync(cluster, leader)).Store);
        Assert.Single(
            cluster.Lines.Lines,
            l =>
                l.Contains(
                    $"n1 leads and makes the backup nightly itself, which node '{node}' should make",
                    StringComparison.Ordinal
                )
        );
    }

    [Theory]
    [InlineData("leader")]
    [InlineData("follower")]
    public async Task Each_scheduled_run_makes_one_backup_whoever_leads(string node)
    {
        await using var cluster = await StartAsync(node, schedule: ", incremental: \"* * * * * ?\"");
        for (var turn = 0; turn < 6; turn++)
        {
            var leader = await cluster.HandOverAsync(cluster.Names.ElementAt(turn % 3));
            await WriteAsync(cluster, leader, turn * 100);
            var before = leader.Backups.GetHistory().Count;
            await cluster.UntilAsync(() => leader.Backups.GetHistory().Count > before + 1, "no backup was made");
        }
        foreach (var name in cluster.Names)
            Assert.Equal(cluster[name].Backups.Definitions.Single().Node, node);
        await using var repository = await OpenAsync(cluster);
        var all = await repository.ListAsync(static _ => { }, default);
        Assert.InRange(all.Count, 12, int.MaxValue);
        Assert.All(all, m => Assert.StartsWith("incremental ", m.Run, StringComparison.Ordinal));
        Assert.Equal(all.Count, all.Select(m => m.Run).Distinct().Count());
        // One full backup, and one chain: each continues the one before.
        Assert.Single(all, m => m.Kind == BackupKind.Full);
        Assert.Equal(all.Count - 1, all.Select(m => m.Parent).Where(p => p is not null).Distinct().Count());
        Assert.True(all.Select(m => m.Store).Distinct().Count() > 1);
    }

    [Fact]
    public async Task Only_the_leaders_order_for_this_very_node_is_carried_out()
    {
        await using var cluster = await StartAsync("follower");
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var (first, second) = (leader.Cluster!.Self.Name, follower.Cluster!.Self.Name);
        Assert.Contains("is to be made by 'n9'", await OrderAsync(follower, "n9", first), StringComparison.Ordinal);
        Assert.Contains("leads, and makes", await OrderAsync(leader, first, first), StringComparison.Ordinal);
        // Another node leads than the one that asks, so the work ends before it has begun.
        Assert.Contains("was cancelled at", await OrderAsync(follower, second, "n9"), StringComparison.Ordinal);
        Assert.False(Directory.Exists(cluster.Folder["bak"]) && HasManifest(cluster));

        async Task<string> OrderAsync(PipelineWorker at, string node, string from)
        {
            using var answer = await cluster.Http.PostAsync(
                WorkerCluster.Url(at, $"/cluster/backup?node={node}&leader={from}&name=nightly&after=1000000000"),
                null
            );
            return await answer.Content.ReadAsStringAsync();
        }
    }

    private static bool HasManifest(WorkerCluster cluster) =>
        Directory.GetFiles(cluster.Folder["bak"], "*.json", SearchOption.AllDirectories).Length > 1;

    private static Task<WorkerCluster> StartAsync(string node, int count = 3, string schedule = "") =>
        WorkerCluster.StartAsync(
            count,
            $"backups: [ {{ name: nightly, node: {node}, to: {{ folder: ./bak }}{schedule} }} ]"
        );

    /// <summary>Runs the backup as the command does: over HTTP, at any node.</summary>
    private static async Task<BackupManifest> RunAsync(WorkerCluster cluster, PipelineWorker worker)
    {
        using var answer = await cluster.Http.PostAsync(WorkerCluster.Url(worker, "/backups/nightly/run"), null);
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.OK, text);
        using var json = JsonDocument.Parse(text);
        var result = Assert.Single(json.RootElement.EnumerateArray());
        Assert.Equal(JsonValueKind.Null, result.GetProperty("error").ValueKind);
        await using var repository = await OpenAsync(cluster);
        return (await repository.FindAsync(result.GetProperty("backup").GetProperty("id").GetString()!, default))!;
    }

    private static async Task<BackupRepository> OpenAsync(WorkerCluster cluster)
    {
        var opened = await RepositoryAccess.OpenAsync(
            new BackupDefinition { Name = "nightly", Destinations = [new FolderDefinition(cluster.Folder["bak"])] },
            null,
            create: false,
            default
        );
        return opened[0].Repository!;
    }

    private static async Task WriteAsync(WorkerCluster cluster, PipelineWorker leader, int from)
    {
        for (var i = 1; i <= 30; i++)
        {
            var status = await cluster.PutAsync(leader, $"orders/{from + i}", i);
            Assert.Equal(HttpStatusCode.Created, status);
        }
    }
}
