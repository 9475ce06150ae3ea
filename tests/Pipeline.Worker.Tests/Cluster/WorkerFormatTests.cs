using System.Net;
using Pipeline.Cluster;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A new format of the log is used once every node knows it.</summary>
public sealed class WorkerFormatTests
{
    [Fact]
    public async Task The_log_uses_a_format_after_the_last_node_was_upgraded_and_an_old_program_stops_then()
    {
        await using var cluster = await WorkerCluster.StartAsync(3);
        await cluster.LeaderAsync();
        foreach (var name in (string[])["n1", "n2"])
            await UpgradeAsync(cluster, name);
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 1));
        Assert.Equal(0, leader.Cluster!.Status.Format);
        var status = await cluster.GetAsync(leader, "/cluster/status");
        Assert.Equal(
            ["n1 1", "n2 1", "n3 0"],
            status
                .GetProperty("nodes")
                .EnumerateArray()
                .Select(n => $"{n.GetProperty("node").GetString()} {n.GetProperty("format").GetInt32()}")
                .Order(StringComparer.Ordinal)
        );
        var url = leader.Cluster.Self.Url.ToString();
        Assert.Contains("n3 knows format 0", (await StatusAsync(url)).Out, StringComparison.Ordinal);

        await UpgradeAsync(cluster, "n3");
        await cluster.UntilAsync(
            () => cluster.Names.All(n => cluster[n].Cluster!.Status.Format == 1),
            "the format is not used"
        );
        leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/2", 2));
        var after = await StatusAsync(leader.Cluster!.Self.Url.ToString());
        Assert.Contains("format 1", after.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("knows format", after.Out, StringComparison.Ordinal);
        await cluster.VerifyAsync();

        // An older program reads nothing more, and says what to do.
        var old = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(old);
        cluster.Formats[old] = 0;
        await cluster.StartAsync(old);
        await cluster.UntilAsync(
            () => cluster[old].Cluster!.Status.Stop == NodeStop.NewerFormat,
            "the old program does not stop"
        );
        Assert.Contains("Install the newer version", cluster[old].Cluster!.Check().Detail, StringComparison.Ordinal);
    }

    private static Task<WorkerRun> StatusAsync(string url) => WorkerRun.InvokeAsync("cluster", "status", "--url", url);

    private static async Task UpgradeAsync(WorkerCluster cluster, string name)
    {
        await cluster.StopAsync(name);
        cluster.Formats[name] = 1;
        await cluster.StartAsync(name);
        await cluster.LeaderAsync();
        await cluster.UntilAsync(
            () => cluster[name].Cluster!.Nodes.Any(n => n is { Format: 1 } && n.Name == name),
            name + " is not known with its format"
        );
    }
}
