using Pipeline.Worker.Snmp;
using Pipeline.Worker.Tests.Snmp;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Nodes of a cluster, seen by <c>pipeline snmp</c>.</summary>
public sealed class SnmpClusterTests
{
    private const string Cluster = "." + WorkerMib.DefaultBase + ".1.6";

    [Fact]
    public async Task Each_node_shows_its_role_the_leader_the_epoch_and_its_lag()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var (leader, follower) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        foreach (var (node, role) in new[] { (leader, "1"), (follower, "2") })
        {
            await using var agent = new SnmpAgent(false, "--url", node.Address!.ToString());
            var values = (await agent.WalkAsync(Cluster)).ToDictionary(v => v.Id[(Cluster.Length + 1)..]);
            Assert.Equal("test", values["1.0"].Text);
            Assert.Equal(node.Cluster!.Self.Name, values["2.0"].Text);
            Assert.Equal(role, values["3.0"].Text);
            Assert.Equal(leader.Cluster!.Self.Name, values["4.0"].Text);
            Assert.NotEqual("0", values["5.0"].Text);
            Assert.Equal("gauge", values["6.0"].Type);
            Assert.Equal("2", values["7.0"].Text);
            Assert.Equal("0", values["8.0"].Text);
            Assert.Equal("gauge", values["9.0"].Type);
            Assert.Equal("", values["10.0"].Text);
        }
    }
}
