using Pipeline.Cluster;
using Pipeline.Hosting.Logging;

namespace Pipeline.Hosting.Cluster;

/// <summary>A node's report about itself.</summary>
/// <param name="Node">Its name.</param>
/// <param name="Url">Its address.</param>
/// <param name="Role">
/// <c>leader</c>, <c>follower</c>, <c>claiming</c>, <c>filling</c>, <c>stopped</c> or <c>unreachable</c>.
/// </param>
internal sealed record NodeView(string Node, string Url, string Role)
{
    /// <summary>The name of the node that leads, as far as it knows.</summary>
    public string? Leader { get; init; }

    /// <summary>The number of the last change of leader that it has read.</summary>
    public long Epoch { get; init; }

    /// <summary>The next place of the log that it has not read.</summary>
    public long Place { get; init; }

    /// <summary>The role of a node that did not answer.</summary>
    public const string Unreachable = "unreachable";

    /// <summary>The last transaction that its copy has.</summary>
    public long Transaction { get; init; }

    /// <summary>The position of the last change that its copy has.</summary>
    public long Position { get; init; }

    /// <summary>Whether it has read the log to its end.</summary>
    public bool IsCaughtUp { get; init; }

    /// <summary>Whether it has read the end of the log.</summary>
    public bool HasEnded { get; init; }

    /// <summary>How many transactions it is behind the leader; null if the leader is not known.</summary>
    public long? Lag { get; init; }

    /// <summary>How old its copy is compared to the leader's, in seconds; null if the leader is not known.</summary>
    public double? LagSeconds { get; init; }

    /// <summary>The newest format of the log that it knows.</summary>
    public int Format { get; init; }

    /// <summary>Identifies its process; null if it is not known.</summary>
    public string? Process { get; init; }

    /// <summary>The version of its program; null if it is not known.</summary>
    public string? Version { get; init; }

    /// <summary>The bytes received of the copy that it is filled with; null if it is not being filled.</summary>
    public long? FilledBytes { get; init; }

    /// <summary>About how many bytes the copy has; null if it is not being filled.</summary>
    public long? CopyBytes { get; init; }

    /// <summary>When a node that is unreachable answered last; null if it never did.</summary>
    public DateTimeOffset? Answered { get; init; }

    /// <summary>What is wrong; null if nothing is wrong.</summary>
    public string? Problem { get; init; }

    /// <summary>What it does besides following; null for nothing.</summary>
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
            HasEnded = status.HasEnded,
            Version = WorkerVersion.Text,
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
    /// <summary>Identifies the log: two nodes with different values follow different logs.</summary>
    public string? Origin { get; init; }

    /// <summary>When the node that leads began to lead, by its clock; null if that is not known.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The format that the log may use.</summary>
    public int Format { get; init; }

    /// <summary>What the log keeps and who holds it, if the node that answers knows it; otherwise null.</summary>
    public LogUse? LogUse { get; init; }
}
