namespace Pipeline.Cluster;

/// <summary>What a running node is doing.</summary>
/// <param name="Role">What it does in the log.</param>
/// <param name="Leader">The name of the node that leads; null if it is unknown.</param>
/// <param name="Epoch">The number of the last accepted claim that it has read.</param>
/// <param name="Place">The next place that it has not read.</param>
/// <param name="TakesWrites">Whether it leads, and its store accepts operations.</param>
internal sealed record NodeStatus(NodeRole Role, string? Leader, long Epoch, long Place, bool TakesWrites)
{
    /// <summary>Why it has stopped; <see cref="NodeStop.None"/> while it works.</summary>
    public NodeStop Stop { get; init; }

    /// <summary>
    /// Whether its store has changes that the log does not have. It must be closed, set aside and refilled; the changes
    /// that only it has can be exported.
    /// </summary>
    public bool IsQuarantined => Stop is NodeStop.AheadOfLog or NodeStop.LogLied;

    /// <summary>Whether it is handing leadership over to a successor.</summary>
    public bool HandsOver { get; init; }

    /// <summary>Whether the log has ended, so no node leads.</summary>
    public bool HasEnded { get; init; }

    /// <summary>The name of the log that continues, once the node has read it.</summary>
    public string? NextLog { get; init; }

    /// <summary>Identifies this log; see <see cref="AutomatonState.Origin"/>.</summary>
    public Chain Origin { get; init; }

    /// <summary>The format that the log may use, as far as the node has read it.</summary>
    public int Format { get; init; }

    /// <summary>Whether it has read the log to its end.</summary>
    public bool IsCaughtUp { get; init; }

    /// <summary>
    /// Why its store accepts no entry. After a full disk the node retries; for any other cause the store must be
    /// reopened.
    /// </summary>
    public Exception? Stall { get; init; }

    /// <summary>Why the last read of the log failed; null if it succeeded.</summary>
    public Exception? LogProblem { get; init; }

    /// <summary>A failure of the node itself, which stops it.</summary>
    public Exception? Failure { get; init; }
}
