namespace Pipeline.Cluster;

/// <summary>A node refuses to give a copy of its store.</summary>
/// <param name="node">The node's name.</param>
/// <param name="reason">Why.</param>
internal sealed class CopyRefusedException(string node, string reason)
    : IOException($"The node '{node}' gives no copy of its store: {reason} Fill the other node from another peer.")
{
    /// <summary>The node's name.</summary>
    public string Node { get; } = node;

    /// <summary>Why.</summary>
    public string Reason { get; } = reason;
}
