using Pipeline.Hosting;
using Pipeline.TestKit.Services;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A node whose <c>cluster.url</c> leads elsewhere works, and says that others do not reach it.</summary>
public sealed class ClusterAddressTests
{
    [Fact]
    public async Task A_node_that_is_not_at_its_address_says_so()
    {
        var wrong = $"http://127.0.0.1:{FreePorts.Find()}";
        await using var cluster = await WorkerCluster.StartAsync(1, before: c => ChangeUrl(c, "n1", wrong));
        await cluster.UntilAsync(
            () => Has(cluster, $"n1 cannot be reached at cluster.url {wrong}: "),
            "the node does not say that its address is wrong"
        );
    }

    [Fact]
    public async Task A_node_that_has_the_address_of_another_says_so()
    {
        await using var cluster = await WorkerCluster.StartAsync(2, before: c => ChangeUrl(c, "n2", UrlOf(c, "n1")));
        await cluster.UntilAsync(
            () => Has(cluster, $"cluster.url of n2 is {UrlOf(cluster, "n1")}, where the node n1 answers"),
            "the node does not say that its address is another one's"
        );
        Assert.False(Has(cluster, "cluster.url of n1"));
    }

    [Fact]
    public async Task A_node_that_has_the_name_of_the_leader_says_so()
    {
        await using var cluster = await WorkerCluster.StartAsync(1);
        await cluster.LeaderAsync();
        var (first, free) = (UrlOf(cluster, "n1"), $"http://127.0.0.1:{FreePorts.Find()}");
        var file = cluster.Folder.Write(
            "again.yaml",
            File.ReadAllText(cluster.FileOf("n1"))
                .Replace(first, free, StringComparison.Ordinal)
                .Replace("./n1", "./again", StringComparison.Ordinal)
        );
        await using var second = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = file,
                Listens = true,
                Loggers = cluster.Lines,
            }
        );
        using var stop = new CancellationTokenSource();
        var running = second.RunAsync(stop.Token);
        await cluster.UntilAsync(
            () => Has(cluster, $"another process has the name n1 (cluster.node), and answers at {first}"),
            "no node says that its name is taken"
        );
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task A_node_whose_database_has_another_name_says_so()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            2,
            before: c => Change(c, "n2", "name: shop", "name: shop2")
        );
        await cluster.UntilAsync(
            () =>
                cluster.Lines.Lines.Any(l => l.Contains("give database.name the same value", StringComparison.Ordinal)),
            "no node says that the names of the databases differ"
        );
    }

    private static bool Has(WorkerCluster cluster, string text) =>
        cluster.Lines.Lines.Any(l => l.Contains(text, StringComparison.Ordinal));

    private static Task ChangeUrl(WorkerCluster cluster, string node, string url) =>
        Change(cluster, node, $"node: {node}, url: \"{UrlOf(cluster, node)}\"", $"node: {node}, url: \"{url}\"");

    private static Task Change(WorkerCluster cluster, string node, string from, string to)
    {
        var file = cluster.FileOf(node);
        File.WriteAllText(file, File.ReadAllText(file).Replace(from, to, StringComparison.Ordinal));
        return Task.CompletedTask;
    }

    /// <summary>What a node's <c>cluster.url</c> says, which is the first address of its configuration.</summary>
    private static string UrlOf(WorkerCluster cluster, string node) =>
        File.ReadAllText(cluster.FileOf(node)).Split("url: \"")[1].Split('"')[0];
}
