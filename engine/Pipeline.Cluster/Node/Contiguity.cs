namespace Pipeline.Cluster;

/// <summary>
/// Tells from the answers to a leader's appends that its records are accepted, without reading them. The leader has
/// read the log through its own claim. If each of its records since then lies directly behind the one before, nothing
/// of anybody else's is between them, so the automaton accepts them all.
/// </summary>
internal struct Contiguity
{
    private long _next;

    /// <summary>Whether a later answer can tell anything. Once it is false it stays so until the next claim.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>The place that the next answer must name.</summary>
    public readonly long Next => _next;

    /// <summary>Begins with the place behind the leader's accepted claim.</summary>
    public void Begin(long place) => (_next, IsWhole) = (place, true);

    /// <summary>Nothing follows from later answers any more.</summary>
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
