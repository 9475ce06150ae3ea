namespace Pipeline.Cluster;

/// <summary>A shared log cannot carry out a request.</summary>
/// <param name="log">The log's name.</param>
/// <param name="message">What happened and what to do.</param>
/// <param name="inner">The cause.</param>
public abstract class SharedLogException(string log, string message, Exception? inner = null)
    : IOException(message, inner)
{
    /// <summary>The log's name.</summary>
    public string Log { get; } = log;
}

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

/// <summary>The log ends before a place that it had already.</summary>
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
