namespace Pipeline.Cluster;

/// <summary>
/// How far a node has read. A store keeps it with the transaction that it belongs to, or an older one: transactions are
/// then skipped, not redone.
/// </summary>
/// <param name="Place">The next place to read.</param>
/// <param name="State">The state before that place.</param>
/// <param name="LastRead">A hash of the record before that place, to see whether the log still has it.</param>
/// <param name="Leader">The name of the node that leads, or of the successor after a handover; null before the first claim.</param>
internal readonly record struct LogPosition(long Place, LogState State, Chain LastRead, string? Leader = null)
{
    public static LogPosition Start => new(0, LogState.Start, default);
}
