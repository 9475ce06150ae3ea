using Pipeline.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>Describes the states of a node in words.</summary>
internal static class NodeTexts
{
    /// <summary>The node's role.</summary>
    public static string RoleOf(NodeStatus status) =>
        status.Role switch
        {
            NodeRole.Leading => "leader",
            NodeRole.Claiming => "claiming",
            NodeRole.Stopped => "stopped",
            _ => "follower",
        };

    /// <summary>What is wrong, and what to do; null if nothing is wrong.</summary>
    public static string? ProblemOf(NodeStatus status) =>
        status.Failure is { } failure ? $"the node failed: {failure.Message} Start it again."
        : status.Stop != NodeStop.None ? OfStop(status.Stop)
        : status.Stall is CorruptPageException damage
            ? $"its store accepts no entry: page {damage.Page} of {damage.File} is damaged: {damage.Reason}. Run 'pipeline cluster refill --url URL' with this node's address. The node sets its folder aside and copies another node."
        : status.Stall is { } stall ? $"its store accepts no entry: {stall.Message}"
        : status.HasEnded
            ? $"the log has ended, and {status.NextLog ?? "another one"} continues. Stop all nodes, change cluster.log in their configurations, and run 'pipeline cluster begin' at one of them. Then start all nodes."
        : status.LogProblem is { } problem ? $"the log does not answer: {problem.Message}"
        : null;

    /// <summary>Another process has this node's name.</summary>
    public static string NameTaken(string url) =>
        $"another process has this node's name (cluster.node), and answers at {url}. Stop one of the two, or give it another name.";

    /// <summary>Two other processes have one name.</summary>
    public static string NameShared(string name, Uri first, Uri second) =>
        $"two processes have the name '{name}' (cluster.node): at {first.GetLeftPart(UriPartial.Authority)} and at {second.GetLeftPart(UriPartial.Authority)}. Stop one of the two, or give it another name.";

    /// <summary>Whether an operator must act before the node works again.</summary>
    public static bool NeedsOperator(NodeStatus status) =>
        status.Failure is not null
        || status.Stop != NodeStop.None
        || status.Stall is CorruptPageException
        || status.HasEnded;

    private static string OfStop(NodeStop stop) =>
        stop switch
        {
            NodeStop.AheadOfLog =>
                "the log does not have what this node has read from it: it has lost records, or is another log. To begin a new log with the database in this node's folder, stop the node and run 'pipeline cluster begin'. If other nodes still work, run 'pipeline cluster refill --url URL' with this node's address. The node sets its folder aside, exports the changes that only it has, and copies another node.",
            NodeStop.LogLied =>
                "the log does not have a record that it had confirmed. If other nodes still work, run 'pipeline cluster refill --url URL' with this node's address. The node sets its folder aside, exports the changes that only it has, and copies another node.",
            NodeStop.SameName =>
                "another process has this node's name (cluster.node). Stop one of the two, or give it another name.",
            NodeStop.NeedsRefill =>
                "the log no longer has the next records. The node restarts and is filled from another node.",
            NodeStop.NewerFormat => "the log uses a format that this version does not know. Install the newer version.",
            NodeStop.DamagedRecord => "a record of the log is damaged. Restart the node to read it again.",
            _ => "it has stopped.",
        };
}
