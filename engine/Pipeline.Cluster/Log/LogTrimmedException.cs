namespace Pipeline.Cluster;

/// <summary>The records asked for were trimmed.</summary>
/// <param name="log">The log's name.</param>
/// <param name="place">The place asked for.</param>
/// <param name="first">The first place that can be read.</param>
public sealed class LogTrimmedException(string log, long place, long first)
    : SharedLogException(
        log,
        $"The log '{log}' begins at {first}; place {place} was trimmed. Fill this node from a peer or a backup."
    )
{
    /// <summary>The place asked for.</summary>
    public long Place { get; } = place;

    /// <summary>The first place that can be read.</summary>
    public long First { get; } = first;
}
