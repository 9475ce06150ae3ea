namespace Pipeline.Cluster;

/// <summary>A record is empty or longer than the log takes.</summary>
/// <param name="log">The log's name.</param>
/// <param name="bytes">The record's length.</param>
/// <param name="limit">The longest record that the log takes.</param>
public sealed class RecordTooLargeException(string log, int bytes, int limit)
    : SharedLogException(
        log,
        $"The log '{log}' takes records of 1 to {limit} bytes; this one has {bytes}. Split the transaction into parts."
    )
{
    /// <summary>The record's length in bytes.</summary>
    public int Bytes { get; } = bytes;

    /// <summary>The longest record that the log takes, in bytes.</summary>
    public int Limit { get; } = limit;
}
