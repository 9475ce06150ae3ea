using System.Net;
using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Runner;
using Pipeline.Storage;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>The folder of a stopped node, opened by something that does not follow the log.</summary>
public sealed class NodeFolderTests
{
    [Fact]
    public async Task Commands_read_the_folder_of_a_node_and_change_nothing()
    {
        await using var cluster = await WriteAndStopAsync();
        var folder = cluster.FolderOf("n1");
        var read = await WorkerRun.InvokeAsync("get", "orders/1", "--data", folder);
        Assert.True(read.ExitCode == ExitCodes.Success, read.Error);
        Assert.Contains("\"Number\":7", read.Out, StringComparison.Ordinal);
        var exported = await WorkerRun.InvokeAsync("export", "--data", folder);
        Assert.True(exported.ExitCode == ExitCodes.Success, exported.Error);
        Assert.Contains("orders/1", exported.Out, StringComparison.Ordinal);
        var lines = cluster.Folder.Write("more.jsonl", """{"@metadata":{"@id":"orders/2","@collection":"Orders"}}""");
        var written = await WorkerRun.InvokeAsync("import", lines, "--data", folder);
        Assert.NotEqual(ExitCodes.Success, written.ExitCode);
        Assert.Contains("does not lead its cluster", written.Error, StringComparison.Ordinal);

        await cluster.StartAsync("n1");
        var leader = await cluster.LeaderAsync();
        Assert.Equal(NodeStop.None, leader.Cluster!.Status.Stop);
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/2", 8));
    }

    [Fact]
    public async Task Without_a_cluster_the_folder_of_a_node_is_refused_until_it_leaves()
    {
        await using var cluster = await WriteAndStopAsync();
        var folder = cluster.FolderOf("n1");
        var file = cluster.Folder.Write("alone.yaml", "version: 1\ndatabase: { name: shop, path: ./n1 }\n");
        var refused = await Assert.ThrowsAsync<NodeFolderException>(() =>
            PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file })
        );
        Assert.Equal(folder, refused.Folder);
        await Assert.ThrowsAsync<NodeFolderException>(() =>
            PipelineRunner.OpenAsync(new RunnerOptions { ConfigurationFile = file })
        );
        var run = await WorkerRun.InvokeAsync("run", "--config", file, "--once");
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("has no section 'cluster'", run.Error, StringComparison.Ordinal);

        // A program that embeds the database is refused, too.
        var embedded = Assert.Throws<ReplicaFolderException>(() =>
            DocumentDatabase.Open(new DatabaseOptions { Path = folder })
        );
        Assert.Equal(folder, embedded.Path);

        File.Delete(Path.Combine(folder, "log.position"));
        await using var alone = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file });
        await alone.Database.PutAsync("orders/2", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        using var snapshot = alone.Database.OpenSnapshot();
        Assert.Equal(2, snapshot.GetByCollection("Orders").Count());
        // Changes that the log accepted and this node never read may be gone.
        Assert.False(alone.Database.Lineages.IsInitial);
    }

    private static async Task<WorkerCluster> WriteAndStopAsync()
    {
        var cluster = await WorkerCluster.StartAsync(1);
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(await cluster.LeaderAsync(), "orders/1", 7));
        await cluster.StopAsync("n1");
        return cluster;
    }
}
