using System.Net;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A backup continues the one before, whichever node made that.</summary>
public sealed class WorkerBackupLeaderTests
{
    private const string Backups = "backups: [ { name: nightly, to: { folder: ./bak } } ]";

    [Fact]
    public async Task The_next_leader_stores_only_what_came_since_the_last_backup()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, Backups);
        var leader = await cluster.LeaderAsync();
        await WriteAsync(cluster, leader, 0);
        var full = await RunAsync(leader);
        Assert.Equal(BackupKind.Full, full.Kind);

        // A planned change, the death of the leader, and back to the one that made the first backup.
        var first = leader.Cluster!.Self.Name;
        var others = cluster.Names.Where(n => n != first).ToList();
        leader = await cluster.HandOverAsync(others[0]);
        await WriteAsync(cluster, leader, 100);
        var second = await RunAsync(leader);
        await cluster.KillAsync(others[0]);
        leader = await cluster.LeaderAsync(exceptFor: others[0]);
        await WriteAsync(cluster, leader, 200);
        var third = await RunAsync(leader);
        await cluster.StartAsync(others[0]);
        leader = await cluster.HandOverAsync(leader.Cluster!.Self.Name == first ? others[1] : first);
        await WriteAsync(cluster, leader, 300);
        var last = await RunAsync(leader);

        BackupManifest[] made = [full, second, third, last];
        for (var i = 1; i < made.Length; i++)
        {
            Assert.Equal((BackupKind.Incremental, null), (made[i].Kind, made[i].Reason));
            Assert.Equal(made[i - 1].Id, made[i].Parent);
            Assert.Equal(made[i - 1].ToEntry, made[i].FromEntry);
            Assert.Equal(made[i].To.Transaction - made[i - 1].To.Transaction, made[i].Transactions);
            Assert.Equal(made[i].Store == made[i - 1].Store ? 1 : 2, made[i].Format);
        }
        Assert.Equal(3, made.Select(m => m.Store).Distinct().Count());

        // A node that is restored from the four, and reads on, equals the others page by page.
        await cluster.StopAsync(others[0]);
        Directory.Delete(cluster.FolderOf(others[0]), recursive: true);
        var restore = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--from",
            cluster.Folder["bak"],
            "--to",
            cluster.FolderOf(others[0])
        );
        Assert.True(restore.ExitCode == ExitCodes.Success, restore.Error);
        Assert.Contains("of 4 backups", restore.Out, StringComparison.Ordinal);
        await cluster.StartAsync(others[0]);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
        Assert.Contains(
            cluster.Lines.Lines,
            l => l.Contains($"{others[0]} was restored from a backup", StringComparison.Ordinal)
        );
        // The drill restores once more, and compares documents with the live database.
        var drill = Assert.Single(await leader.Backups.DrillAsync("nightly"));
        Assert.Null(drill.Problem);
        Assert.True(drill.Compared > 0);
    }

    [Fact]
    public async Task A_backup_with_another_last_transaction_is_not_continued()
    {
        await using var cluster = await WorkerCluster.StartAsync(2, Backups);
        var leader = await cluster.LeaderAsync();
        await WriteAsync(cluster, leader, 0);
        var full = await RunAsync(leader);
        await using (var repository = await OpenAsync(cluster))
            await repository.PutAsync(full with { ToEntry = new string('0', 64) }, default);
        leader = await cluster.HandOverAsync(cluster.Names.Single(n => n != leader.Cluster!.Self.Name));
        var next = await RunAsync(leader, BackupKind.Incremental);
        Assert.Equal(BackupKind.Full, next.Kind);
        Assert.Contains("is another one in this node's journal", next.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_that_was_filled_makes_a_full_backup_and_says_why()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            Backups,
            log: ", trim: { every: 50ms, keepRecords: 20, silentAfter: 2s }"
        );
        var written = await cluster.WriteUntilTrimmedAsync();
        var leader = await cluster.LeaderAsync();
        var full = await RunAsync(leader);
        var filled = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(filled);
        Directory.Delete(cluster.FolderOf(filled), recursive: true);
        await WriteAsync(cluster, leader, written);
        await cluster.StartAsync(filled);
        leader = await cluster.HandOverAsync(filled);
        var next = await RunAsync(leader, BackupKind.Incremental);
        Assert.Equal(BackupKind.Full, next.Kind);
        Assert.Contains("this node's journal begins with transaction", next.Reason, StringComparison.Ordinal);
        Assert.Contains(full.Id, next.Reason, StringComparison.Ordinal);
        Assert.Contains(
            cluster.Lines.Lines,
            l => l.Contains("is full: this node's journal begins with", StringComparison.Ordinal)
        );
        // From here on it continues as every node does.
        await WriteAsync(cluster, leader, written + 100);
        Assert.Equal(next.Id, (await RunAsync(leader)).Parent);
    }

    private static async Task<BackupManifest> RunAsync(PipelineWorker worker, BackupKind? kind = null)
    {
        var result = Assert.Single((await worker.Backups.RunAsync("nightly", kind)).Destinations);
        Assert.Null(result.Error);
        return result.Backup!;
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
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/{from + i}", i));
    }
}
