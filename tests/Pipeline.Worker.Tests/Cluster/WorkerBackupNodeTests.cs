using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
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
                    $"{maker} makes the backup nightly for the leader {leader.Cluster!.Self.Name}",
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
        // A drill elsewhere needs no node.
        var drill = await WorkerRun.InvokeAsync("backup", "drill", "nightly", "--from", cluster.Folder["bak"]);
        Assert.True(drill.ExitCode == ExitCodes.Success, drill.Error);
        Assert.Contains($"{third.Id} is sound", drill.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Over_the_limit_of_kept_journal_the_next_backup_is_full_and_says_why_and_the_one_after_it_continues()
    {
        await using var cluster = await StartAsync("leader", count: 2, database: ", keptJournalBytes: 67108864");
        var leader = await cluster.LeaderAsync();
        await WriteAsync(cluster, leader, 0);
        await RunAsync(cluster, leader);
        // Every second a node begins to keep its journal anew, for the backups to come.
        for (var i = 0; !cluster.Names.All(HasGivenUp); i++)
        {
            Assert.True(i < 200, "a node keeps its journal however much is written");
            await WriteLargeAsync(leader);
            foreach (var name in cluster.Names)
                cluster[name].Database.Storage.Flush();
        }
        await cluster.UntilAsync(
            () => cluster.Names.All(n => cluster[n].Database.Storage.HeldLogBytes <= 64 << 20),
            "too much is kept"
        );
        Assert.True((await leader.CheckReadyAsync()).IsReady);

        var full = await RunAsync(cluster, leader);
        Assert.Equal(BackupKind.Full, full.Kind);
        Assert.StartsWith("this node's journal begins with transaction", full.Reason, StringComparison.Ordinal);
        await WriteAsync(cluster, leader, 100);
        var next = await RunAsync(cluster, leader);
        Assert.Equal((BackupKind.Incremental, full.Id), (next.Kind, next.Parent));

        bool HasGivenUp(string name) =>
            cluster.Lines.Lines.Any(l =>
                l.Contains(cluster.FolderOf(name), StringComparison.Ordinal)
                && l.Contains("it exceeded 67108864 bytes (database.keptJournalBytes)", StringComparison.Ordinal)
            );
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
    public async Task Another_node_makes_the_backup_if_the_first_one_dies()
    {
        await using var cluster = await StartAsync("follower", schedule: Slow);
        var leader = await cluster.LeaderAsync();
        await WriteLargeAsync(leader);
        var run = RunAsync(cluster, leader);
        await cluster.UntilAsync(() => MakerOf(cluster) is not null, "no follower makes the backup");
        var first = MakerOf(cluster)!;
        var status = await cluster.GetAsync(leader, "/cluster/status");
        Assert.Contains($"{first} makes the backup", Describe(status), StringComparison.Ordinal);
        var store = cluster[first].Database.Storage.StoreId;
        await cluster.KillAsync(first);
        var made = await run;
        Assert.NotEqual(store, made.Store);
        Assert.NotEqual(leader.Database.Storage.StoreId, made.Store);
        Assert.Contains(
            cluster.Lines.Lines,
            l => l.Contains($"did not get the backup nightly from {first}", StringComparison.Ordinal)
        );
        await using var repository = await OpenAsync(cluster);
        Assert.Single(await repository.ListAsync(static _ => { }, default));

        static string Describe(JsonElement status) =>
            string.Join(
                '\n',
                status
                    .GetProperty("nodes")
                    .EnumerateArray()
                    .Select(n => $"{n.GetProperty("node").GetString()} {n.GetProperty("doing").GetString()}")
            );
    }

    [Theory]
    [InlineData("leader")]
    [InlineData("follower")]
    public async Task The_next_leader_repeats_a_scheduled_run_in_which_the_leader_died(string node)
    {
        await using var cluster = await StartAsync(node, schedule: Slow + ", full: \"0/5 * * * * ?\"");
        var leader = await cluster.LeaderAsync();
        await cluster.UntilAsync(() => leader.Backups.GetHistory().Count > 0, "no backup was made");
        await WriteLargeAsync(leader);
        var before = leader.Backups.GetHistory().Count;
        await cluster.UntilAsync(
            () => leader.Backups.GetStatus().Single().Progress is { Total: > 1 << 20 },
            "no run has begun"
        );
        var died = leader.Cluster!.Self.Name;
        await cluster.KillAsync(died);
        leader = await cluster.LeaderAsync(exceptFor: died);
        await cluster.UntilAsync(() => leader.Backups.GetHistory().Count > before, "the run was not repeated");
        var history = leader.Backups.GetHistory();
        Assert.All(history, r => Assert.True(r.Ok));
        // The run that was under way, or a later one that makes up for it, and no run twice.
        Assert.Equal(history.Count, history.Select(r => r.Scheduled).Distinct().Count());
        await using var repository = await OpenAsync(cluster);
        var all = await repository.ListAsync(static _ => { }, default);
        Assert.Equal(all.Count, all.Select(m => m.Run).Distinct().Count());
        foreach (var run in history)
            Assert.Single(all, m => m.Id == run.Destinations[0].Backup);
    }

    [Fact]
    public async Task Only_the_leaders_order_for_this_very_node_is_carried_out()
    {
        await using var cluster = await StartAsync("follower");
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var (first, second) = (leader.Cluster!.Self.Name, follower.Cluster!.Self.Name);
        Assert.Contains("the order is for 'n9'", await OrderAsync(follower, "n9", first), StringComparison.Ordinal);
        Assert.Contains(
            "leads, so it takes no orders",
            await OrderAsync(leader, first, first),
            StringComparison.Ordinal
        );
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

    private const string Slow = ", maxBytesPerSecond: 512KiB, compression: none";

    private static string? MakerOf(WorkerCluster cluster) =>
        cluster.Names.FirstOrDefault(n => cluster.Runs(n) && cluster[n].Cluster!.View().Doing is not null);

    /// <summary>
    /// In one transaction, so that no scheduled run takes a part of it and leaves little for the next one.
    /// </summary>
    private static Task WriteLargeAsync(PipelineWorker leader)
    {
        var random = new Random(1);
        var bytes = new byte[32 << 10];
        return leader.Database.WriteAsync(t =>
        {
            for (var i = 0; i < 48; i++)
            {
                random.NextBytes(bytes);
                var text = Convert.ToHexString(bytes);
                t.Put($"texts/{i}", Encoding.UTF8.GetBytes($$"""{"Text":"{{text}}"}"""));
            }
        });
    }

    private static bool HasManifest(WorkerCluster cluster) =>
        Directory.GetFiles(cluster.Folder["bak"], "*.json", SearchOption.AllDirectories).Length > 1;

    private static Task<WorkerCluster> StartAsync(
        string node,
        int count = 3,
        string schedule = "",
        string database = ""
    ) =>
        WorkerCluster.StartAsync(
            count,
            $"backups: [ {{ name: nightly, node: {node}, to: {{ folder: ./bak }}{schedule} }} ]",
            database: database
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
