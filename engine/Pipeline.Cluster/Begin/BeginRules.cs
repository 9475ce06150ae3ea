namespace Pipeline.Cluster;

/// <summary>
/// Decides which stores may begin a log, and which may continue in it. The functions are pure, in a position and the
/// store's next transaction, so a search can visit every state that they decide on.
/// </summary>
internal static class BeginRules
{
    /// <summary>The state that a store's record <c>Begin</c> is made from.</summary>
    /// <param name="position">How far the store has read the previous log.</param>
    /// <param name="next">The number after the store's last transaction.</param>
    /// <param name="start">An id that makes this record unique.</param>
    public static AutomatonState StateBefore(in ReadPosition position, long next, Guid start) =>
        AutomatonState.Start with
        {
            Epoch = position.State.Epoch,
            Format = position.State.Format,
            Leader = start,
            Transaction = next,
            Chain = position.State.Phase == LogPhase.Ended ? position.State.Chain : default,
        };

    /// <summary>Whether a log begins with the record that a node made from this state, now or before a crash.</summary>
    public static bool IsOf(in LogRecord first, in AutomatonState before, string node) =>
        first.Name == node
        && (first.Epoch, first.Transaction, first.Chain, first.Format)
            == (before.Epoch, before.Transaction, before.Chain, before.Format);

    /// <summary>
    /// Whether a store has read the end of its log, so it has every change that was acknowledged there.
    /// </summary>
    public static bool HasReadTheEnd(in ReadPosition position, long next) =>
        position.State.Phase == LogPhase.Ended && position.State.Transaction == next;

    /// <summary>Whether a store has read the record that a log begins with.</summary>
    public static bool IsBehind(in ReadPosition position, in LogRecord first) =>
        position.State.Origin == StateAfter(first).Origin;

    /// <summary>
    /// Whether a store is equal to the one that began the log: both have read the end of the previous log, and the
    /// chain covers all records that were accepted there.
    /// </summary>
    public static bool IsEqual(in ReadPosition position, long next, in LogRecord first) =>
        HasReadTheEnd(position, next)
        && position.State.Chain == first.Chain
        && position.State.Transaction == first.Transaction;

    /// <summary>The position behind the record that a log begins with.</summary>
    public static ReadPosition PositionBehind(in LogRecord first) =>
        new(1, StateAfter(first), default(Chain).Append(first.Bytes.Span));

    /// <summary>The state behind the record that a log begins with.</summary>
    public static AutomatonState StateAfter(in LogRecord first)
    {
        Automaton.Step(AutomatonState.Start, first, out var state);
        return state;
    }
}
