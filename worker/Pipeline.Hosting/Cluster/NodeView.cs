using Pipeline.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>What a node says of itself.</summary>
/// <param name="Node">Its name.</param>
/// <param name="Url">Its address.</param>
/// <param name="Role"><c>leader</c>, <c>follower</c>, <c>claiming</c>, <c>filling</c>, <c>stopped</c> or <c>unreachable</c>.</param>
internal sealed record NodeView(string Node, string Url, string Role)
{
    /// <summary>The name of the node that leads, as far as it knows.</summary>
    public string? Leader { get; init; }

    /// <summary>The number of the last change of leader that it has read.</summary>
    public long Epoch { get; init; }

    /// <summary>The next place of the log that it has not read.</summary>
    public long Place { get; init; }

    /// <summary>The last transaction that its copy has.</summary>
    public long Transaction { get; init; }

    /// <summary>The position of the last change that its copy has.</summary>
    public long Position { get; init; }

    /// <summary>Whether it has read the log to its end.</summary>
    public bool IsCaughtUp { get; init; }

    /// <summary>How many transactions it is behind the leader; null if the leader is not known.</summary>
    public long? Lag { get; init; }

    /// <summary>What is wrong; null if nothing is.</summary>
    public string? Problem { get; init; }

    /// <summary>What it does besides following; null if that is nothing.</summary>
    public string? Doing { get; init; }

    /// <summary>Describes a running node.</summary>
    public static NodeView Of(string node, Uri url, NodeStatus status, long transaction, long position) =>
        new(node, url.GetLeftPart(UriPartial.Authority), NodeTexts.RoleOf(status))
        {
            Leader = status.Leader,
            Epoch = status.Epoch,
            Place = status.Place,
            Transaction = transaction,
            Position = position,
            IsCaughtUp = status.IsCaughtUp,
            Problem = NodeTexts.ProblemOf(status),
        };
}

/// <summary>The nodes of a cluster, as one node sees them.</summary>
/// <param name="Cluster">The cluster's name.</param>
/// <param name="Database">The database.</param>
/// <param name="Log">The shared log.</param>
/// <param name="Leader">The node that leads; null if none is known.</param>
/// <param name="Epoch">The number of the last change of leader.</param>
/// <param name="AskedNode">The node that answers.</param>
/// <param name="Nodes">The nodes, the leader first.</param>
internal sealed record ClusterView(
    string Cluster,
    string Database,
    string Log,
    string? Leader,
    long Epoch,
    string AskedNode,
    IReadOnlyList<NodeView> Nodes
)
{
    /// <summary>What the log keeps and who holds it, as the node that answers knows it; null if it does not.</summary>
    public LogUse? LogUse { get; init; }
}
