using System.Text;

namespace Pipeline.Server.Cluster;

/// <summary>A request that is answered only while its node leads, such as the web socket of changes.</summary>
/// <param name="cluster">The node.</param>
/// <param name="over">Is cancelled when the node leads no more. The connection is aborted a second later.</param>
internal sealed class LeadershipFeature(IServerCluster cluster, CancellationToken over)
{
    /// <summary>What the close message of a web socket can hold, in bytes of UTF-8.</summary>
    private const int MaxBytes = 123;

    /// <summary>Is cancelled when the node leads no more.</summary>
    public CancellationToken Over => over;

    /// <summary>Why the connection ends, short enough for the close message of a web socket.</summary>
    public string Reason
    {
        get
        {
            var self = cluster.Self.Name;
            var reason = $"{self} no longer leads; connect again";
            if (cluster.Leader is { } leader && leader.Name != self)
                reason = $"{self} no longer leads; connect to {leader.Name}, which does";
            return Encoding.UTF8.GetByteCount(reason) > MaxBytes ? "this node no longer leads; connect again" : reason;
        }
    }
}
