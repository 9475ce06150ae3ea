using System.Net;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A folder belongs to one node, whose name it keeps.</summary>
public sealed class NodeNameTests
{
    [Fact]
    public async Task A_node_with_another_name_does_not_start_over_a_folder()
    {
        await using var cluster = await WorkerCluster.StartAsync(1);
        await cluster.LeaderAsync();
        await cluster.StopAsync("n1");
        cluster.Change("node: n1", "node: n9");
        var refused = await Assert.ThrowsAsync<WorkerException>(() => cluster.StartAsync("n1"));
        Assert.Equal(ExitCodes.Usage, refused.ExitCode);
        Assert.Contains(
            $"the folder {cluster.FolderOf("n1")} (database.path) belongs to the node 'n1', but cluster.node is 'n9'",
            refused.Message,
            StringComparison.Ordinal
        );
        Assert.Contains("'pipeline cluster remove n1'", refused.Message, StringComparison.Ordinal);
        cluster.Change("node: n9", "node: n1");
        await cluster.StartAsync("n1");
        await cluster.LeaderAsync();
    }

    [Fact]
    public async Task A_log_does_not_begin_under_the_name_of_another_node()
    {
        await using var cluster = await WorkerCluster.StartAsync(1);
        await cluster.LeaderAsync();
        await cluster.StopAsync("n1");
        cluster.Change("node: n1", "node: n9");
        var begun = await WorkerRun.InvokeAsync("cluster", "begin", "--accept-loss", "--config", cluster.FileOf("n1"));
        Assert.Equal(ExitCodes.Usage, begun.ExitCode);
        Assert.Contains("belongs to the node 'n1'", begun.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_is_renamed_in_three_steps()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 7));
        await cluster.StopAsync("n2");
        File.Delete(Path.Combine(cluster.FolderOf("n2"), "node.name"));
        File.WriteAllText(
            cluster.FileOf("n2"),
            File.ReadAllText(cluster.FileOf("n2")).Replace("node: n2", "node: n9", StringComparison.Ordinal)
        );
        await cluster.StartAsync("n2");
        await cluster.UntilAsync(() => leader.Cluster!.Nodes.Any(n => n.Name == "n9"), "n9 is not known");

        // The new name answers at the address of the old one, which is a node that is away.
        var url = WorkerCluster.Url(leader, "").ToString();
        var status = await WorkerRun.InvokeAsync("cluster", "status", "--url", url);
        Assert.Equal(ExitCodes.Failed, status.ExitCode);
        Assert.Contains("n2: the node 'n9' answers at its address", status.Out, StringComparison.Ordinal);

        var removed = await WorkerRun.InvokeAsync("cluster", "remove", "n2", "--url", url);
        Assert.True(removed.ExitCode == ExitCodes.Success, removed.Error);
        status = await WorkerRun.InvokeAsync("cluster", "status", "--url", url);
        Assert.True(status.ExitCode == ExitCodes.Success, status.Out + status.Error);
        Assert.Equal(["n1", "n9"], leader.Cluster!.Nodes.Select(n => n.Name).Order());
    }
}
