namespace Pipeline.Cluster;

/// <summary>What a running node is doing.</summary>
/// <param name="Role">What it does in the log.</param>
/// <param name="Leader">The name of the node that leads; null if it is unknown.</param>
/// <param name="Epoch">The number of the last accepted claim that it has read.</param>
/// <param name="Place">The next place that it has not read.</param>
/// <param name="TakesWrites">Whether it leads, and its store takes operations.</param>
internal sealed record NodeStatus(NodeRole Role, string? Leader, long Epoch, long Place, bool TakesWrites)
{
    /// <summary>Why it does nothing; <see cref="NodeStop.None"/> while it works.</summary>
    public NodeStop Stop { get; init; }

    /// <summary>
    /// Whether it has what the log does not. It must be closed, set aside, and filled anew; what only it has can be
    /// exported.
    /// </summary>
    public bool IsQuarantined => Stop is NodeStop.AheadOfLog or NodeStop.LogLied;

    /// <summary>Whether it ends its time as leader for a successor.</summary>
    public bool HandsOver { get; init; }

    /// <summary>Whether the log goes on elsewhere, so nobody leads.</summary>
    public bool HasEnded { get; init; }

    /// <summary>The name of the log that goes on, once the node has read it.</summary>
    public string? NextLog { get; init; }

    /// <summary>By which this log differs from others; see <see cref="AutomatonState.Origin"/>.</summary>
    public Chain Origin { get; init; }

    /// <summary>The format that the log may use, as far as it has read.</summary>
    public int Format { get; init; }

    /// <summary>Whether it has read the log to its end.</summary>
    public bool IsCaughtUp { get; init; }

    /// <summary>Why its store takes no entry. A full disk is tried again; all else needs the store opened anew.</summary>
    public Exception? Stall { get; init; }

    /// <summary>Why the log could not be read when it was tried last; null if it could.</summary>
    public Exception? LogProblem { get; init; }

    /// <summary>A fault of the node itself, after which it does nothing.</summary>
    public Exception? Failure { get; init; }
}
