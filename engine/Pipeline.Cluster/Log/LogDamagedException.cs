namespace Pipeline.Cluster;

/// <summary>A record of the log is damaged.</summary>
/// <param name="log">The log's name.</param>
/// <param name="place">The record's place.</param>
/// <param name="reason">What is wrong with it.</param>
public sealed class LogDamagedException(string log, long place, string reason)
    : SharedLogException(log, $"The log '{log}' is damaged at place {place}: {reason}.")
{
    /// <summary>The record's place.</summary>
    public long Place { get; } = place;

    /// <summary>What is wrong with it.</summary>
    public string Reason { get; } = reason;
}
