namespace Pipeline.Cluster;

/// <summary>The log ends before a place that was there already.</summary>
/// <param name="log">The log's name.</param>
/// <param name="place">The place asked for.</param>
/// <param name="end">The log's end.</param>
public sealed class LogTruncatedException(string log, long place, long end)
    : SharedLogException(
        log,
        $"The log '{log}' ends at {end}, before place {place}: it has lost records, or it is another log."
    )
{
    /// <summary>The place asked for.</summary>
    public long Place { get; } = place;

    /// <summary>The log's end.</summary>
    public long End { get; } = end;
}
