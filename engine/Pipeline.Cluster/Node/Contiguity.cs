namespace Pipeline.Cluster;

/// <summary>
/// Proves from the answers to a leader's appends that its records are accepted, without reading them. The leader has
/// read the log through its own claim. If each of its later records directly follows the one before, no other process's
/// record is between them, so the automaton accepts them all.
/// </summary>
internal struct Contiguity
{
    private long _next;

    /// <summary>
    /// Whether later answers can still prove anything. Once false, it stays false until the next claim.
    /// </summary>
    public bool IsWhole { get; private set; }

    /// <summary>The place that the next answer must name.</summary>
    public readonly long Next => _next;

    /// <summary>Begins with the place after the leader's accepted claim.</summary>
    public void Begin(long place) => (_next, IsWhole) = (place, true);

    /// <summary>From now on, answers prove nothing.</summary>
    public void Break() => IsWhole = false;

    /// <summary>Takes the answer to the next record, in the order in which the records were sent.</summary>
    /// <returns>Whether the record is accepted for certain.</returns>
    public bool Take(AppendAnswer answer)
    {
        IsWhole = IsWhole && answer.Outcome == AppendOutcome.At && answer.Place == _next;
        if (IsWhole)
            _next++;
        return IsWhole;
    }
}
