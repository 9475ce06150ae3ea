using System.Net;
using Pipeline.Backups.Manifests;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Backups hold the log, so a cluster that has lost all its disks is rebuilt from a backup and the log.</summary>
public sealed class WorkerBackupTests
{
    private const string Backups = "backups: [ { name: nightly, to: { folder: ./bak } } ]";

    [Theory]
    [InlineData(false, "leader")]
    [InlineData(true, "leader")]
    [InlineData(true, "follower")]
    public async Task A_cluster_that_lost_all_disks_is_rebuilt_from_a_backup_and_the_log(bool incremental, string node)
    {
        await using var cluster = await StartAsync(node: node);
        var written = await cluster.WriteUntilTrimmedAsync();
        var leader = await cluster.LeaderAsync();
        Assert.Null(Assert.Single((await leader.Backups.RunAsync("nightly")).Destinations).Error);
        if (incremental)
        {
            written = await WriteAsync(cluster, leader, written);
            var second = Assert.Single((await leader.Backups.RunAsync("nightly")).Destinations);
            Assert.Equal(BackupKind.Incremental, second.Backup!.Kind);
        }
        var held = leader.Cluster!.FindHold("nightly").Place;
        // More than the log would keep for the nodes.
        for (var i = 0; i < 4; i++)
            written = await WriteAsync(cluster, leader, written);
        await cluster.UntilAsync(
            () =>
                leader.Cluster!.LogUse is { HeldBy: { } by }
                && by.StartsWith("the backup nightly needs it from place " + held, StringComparison.Ordinal),
            "the log is not held"
        );
        var first = await cluster.LogFirstAsync();
        Assert.InRange(first, 1, held - 1);
        foreach (var name in cluster.Names)
        {
            await cluster.StopAsync(name);
            Directory.Delete(cluster.FolderOf(name), recursive: true);
        }

        await RestoreAsync(cluster, "n1");
        await cluster.StartAsync("n1");
        await cluster.UntilAsync(() => cluster["n1"].Acts, "n1 does not lead");
        Assert.Contains(
            cluster.Lines.Lines,
            l => l.Contains("n1 was restored from a backup, and continues at place ", StringComparison.Ordinal)
        );
        using (var snapshot = cluster["n1"].Database.OpenSnapshot())
        {
            for (var i = 1; i <= written; i++)
                Assert.True(snapshot.TryGet($"orders/{i}", out _), $"orders/{i}");
            Assert.False(snapshot.TryGet($"orders/{written + 1}", out _));
        }
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n1"], "orders/after", 1));
        // The others come back with nothing, and are filled.
        await cluster.StartAsync("n2");
        await cluster.StartAsync("n3");
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Fact]
    public async Task A_backup_that_does_not_finish_again_holds_the_log_for_a_limited_time_and_that_is_said()
    {
        await using var cluster = await StartAsync(", backupsFor: 2s");
        var written = await cluster.WriteUntilTrimmedAsync();
        var leader = await cluster.LeaderAsync();
        Assert.Null(Assert.Single((await leader.Backups.RunAsync("nightly")).Destinations).Error);
        var held = leader.Cluster!.FindHold("nightly").Place;
        while (await cluster.LogFirstAsync() <= held)
            written = await cluster.WriteUntilTrimmedAsync(written);
        // On a slow machine the log may have been given up before, while the backup ran.
        await cluster.UntilAsync(
            () => leader.Cluster!.LogUse!.OldBackups.Contains("nightly") && Said().Any(),
            "that the log is no longer kept is not said"
        );
        Assert.Single(Said());
        var health = Assert.Single((await leader.CheckReadyAsync()).Checks, c => c.Name == "cluster");
        Assert.Contains("no longer kept for the backup nightly", health.Detail, StringComparison.Ordinal);

        // A node that is restored from it says why it cannot go on.
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);
        Directory.Delete(cluster.FolderOf("n1"), recursive: true);
        await RestoreAsync(cluster, "n1");
        var refused = await Assert.ThrowsAsync<WorkerException>(() => cluster.StartAsync("n1"));
        Assert.Contains("restored from a backup. It needs the log", refused.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(cluster.FolderOf("n1"), "log.position")));

        IEnumerable<string> Said() =>
            cluster.Lines.Lines.Where(l =>
                l.Contains("no longer keeps the log for the backup nightly.", StringComparison.Ordinal)
            );
    }

    private static Task<WorkerCluster> StartAsync(string trim = "", string node = "leader") =>
        WorkerCluster.StartAsync(
            3,
            Backups.Replace("to:", $"node: {node}, to:", StringComparison.Ordinal),
            log: $", trim: {{ every: 50ms, keepRecords: 20{trim} }}"
        );

    private static async Task<int> WriteAsync(WorkerCluster cluster, PipelineWorker leader, int from)
    {
        for (var i = 0; i < 30; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/{++from}", from));
        foreach (var name in cluster.Names)
            cluster[name].Database.Storage.Flush();
        return from;
    }

    private static async Task RestoreAsync(WorkerCluster cluster, string node)
    {
        var run = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--from",
            cluster.Folder["bak"],
            "--to",
            cluster.FolderOf(node)
        );
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
    }
}
