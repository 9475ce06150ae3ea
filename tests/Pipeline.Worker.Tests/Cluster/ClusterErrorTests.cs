using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>What the terminal shows when a running node refuses a command: the node's sentence alone.</summary>
public sealed class ClusterErrorTests
{
    /// <summary>The answer to an earlier request may have been lost.</summary>
    [Fact]
    public async Task A_handover_to_the_leader_is_done()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        var url = WorkerCluster.Url(leader, "").ToString();
        var run = await WorkerRun.InvokeAsync("cluster", "handover", "n1", "--url", url);
        Assert.Equal((ExitCodes.Success, "n1 leads already"), (run.ExitCode, run.Out.Trim()));
    }

    [Fact]
    public async Task A_refusal_is_told_in_the_words_of_the_node()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        var url = WorkerCluster.Url(leader, "").ToString();
        foreach (
            var (arguments, expected) in ((string[], string)[])
                [
                    (
                        ["cluster", "remove", "n2"],
                        "the node 'n2' still runs and would make itself known again; stop it first"
                    ),
                    (["cluster", "remove", "n9"], "there is no node 'n9'; there are: n1, n2"),
                    (
                        ["cluster", "refill"],
                        "'n1' works and need not be refilled. Send the request to the node that is to be refilled: --url"
                    ),
                    (["query", "from nothing where"], "the query"),
                ]
        )
        {
            var run = await WorkerRun.InvokeAsync([.. arguments, "--url", url]);
            Assert.NotEqual(ExitCodes.Success, run.ExitCode);
            Assert.Contains(expected, run.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("answered", run.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("/cluster/", run.Error, StringComparison.Ordinal);
        }
    }
}
