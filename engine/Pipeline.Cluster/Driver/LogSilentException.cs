namespace Pipeline.Cluster;

/// <summary>A node that was to stop ended without the log, which did not confirm its last writes.</summary>
/// <param name="node">The node's name.</param>
/// <param name="waited">How long the node has waited for them.</param>
internal sealed class LogSilentException(string node, TimeSpan waited)
    : IOException(
        $"'{node}' was to stop, and the log did not confirm the last writes within {waited.TotalSeconds:0.#} s. Whether it has them is unknown."
    )
{
    /// <summary>The node's name.</summary>
    public string Node { get; } = node;

    /// <summary>How long the node has waited for the log.</summary>
    public TimeSpan Waited { get; } = waited;
}
