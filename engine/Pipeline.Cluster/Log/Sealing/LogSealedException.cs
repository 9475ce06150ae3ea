namespace Pipeline.Cluster;

/// <summary>A log is sealed differently than this node expects. The node must not treat it as empty.</summary>
/// <param name="log">The log.</param>
/// <param name="place">The place of the record.</param>
/// <param name="reason">How the record differs.</param>
public sealed class LogSealedException(string log, long place, string reason)
    : SharedLogException(
        log,
        $"The record at place {place} of the log '{log}' {reason}. Give all nodes the same cluster.log.encryption; a log keeps its key from its first record on."
    )
{
    /// <summary>The place of the record.</summary>
    public long Place { get; } = place;
}
