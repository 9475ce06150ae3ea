namespace Pipeline.Cluster;

/// <summary>A node that was to stop ended without the log, which did not confirm its last writes.</summary>
/// <param name="node">The node's name.</param>
/// <param name="silence">How long the log has confirmed nothing.</param>
internal sealed class LogSilentException(string node, TimeSpan silence)
    : IOException(
        $"'{node}' was to stop, and the log confirmed nothing for {silence.TotalSeconds:0.#} s. Whether the log has the last writes is unknown."
    )
{
    /// <summary>The node's name.</summary>
    public string Node { get; } = node;

    /// <summary>How long the log has confirmed nothing.</summary>
    public TimeSpan Silence { get; } = silence;
}
