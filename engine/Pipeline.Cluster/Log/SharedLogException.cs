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
