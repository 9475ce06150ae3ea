namespace Pipeline.Hosting.Cluster;

/// <summary>A cluster cannot carry out a request.</summary>
/// <param name="message">What happened and what to do.</param>
/// <param name="isUsage">Whether the request itself is wrong, whatever the state of the cluster.</param>
internal sealed class ClusterException(string message, bool isUsage = false) : Exception(message)
{
    /// <summary>Whether the request itself is wrong.</summary>
    public bool IsUsage { get; } = isUsage;
}
