using Microsoft.Extensions.Logging;

namespace Pipeline.Hosting.Cluster;

/// <summary>Log messages of a node. Event ids 7100–7199.</summary>
internal static partial class ClusterLog
{
    [LoggerMessage(
        7100,
        LogLevel.Information,
        "{Node} is a node of the cluster {Cluster} over {Log}, from place {Place}"
    )]
    public static partial void Opened(ILogger logger, string node, string cluster, string log, long place);

    [LoggerMessage(7101, LogLevel.Information, "{Node} leads from now on, in epoch {Epoch}")]
    public static partial void Leads(ILogger logger, string node, long epoch);

    [LoggerMessage(7102, LogLevel.Information, "{Node} follows {Leader} in epoch {Epoch}")]
    public static partial void Follows(ILogger logger, string node, string leader, long epoch);

    [LoggerMessage(7103, LogLevel.Error, "{Node}: {Problem}")]
    public static partial void Stopped(ILogger logger, string node, string problem);

    [LoggerMessage(7104, LogLevel.Warning, "{Node}: {Problem}")]
    public static partial void Troubled(ILogger logger, string node, string problem);

    [LoggerMessage(7105, LogLevel.Information, "{Node} knows the nodes {Nodes}")]
    public static partial void Nodes(ILogger logger, string node, string nodes);

    [LoggerMessage(7106, LogLevel.Debug, "{Node} cannot tell {Leader} its address yet: {Reason}")]
    public static partial void NotAnnounced(ILogger logger, string node, string leader, string reason);

    [LoggerMessage(7107, LogLevel.Information, "{Node} hands over to {Successor}")]
    public static partial void HandsOver(ILogger logger, string node, string successor);

    [LoggerMessage(7112, LogLevel.Information, "{Node} does not take over: {Reason}")]
    public static partial void NotHandedOver(ILogger logger, string node, string reason);

    [LoggerMessage(7108, LogLevel.Information, "tasks, subscriptions and backups run here from now on")]
    public static partial void TermBegan(ILogger logger);

    [LoggerMessage(7109, LogLevel.Information, "tasks, subscriptions and backups have stopped here")]
    public static partial void TermEnded(ILogger logger);

    [LoggerMessage(7110, LogLevel.Error, "this node leads, but a part of its work cannot start; it tries again")]
    public static partial void TermFailed(ILogger logger, Exception error);

    [LoggerMessage(7111, LogLevel.Warning, "a part of the leader's work did not stop in order")]
    public static partial void EndFailed(ILogger logger, Exception error);
}
