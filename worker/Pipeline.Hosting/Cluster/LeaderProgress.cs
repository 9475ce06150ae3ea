namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Records when the leader had which transaction, from its answers to one node, to compute how old a copy is. Not
/// thread-safe.
/// </summary>
/// <param name="capacity">How many answers of the leader are kept.</param>
internal sealed class LeaderProgress(int capacity)
{
    private readonly Queue<(DateTimeOffset Time, long Transaction)> _seen = new(capacity);

    /// <summary>Records the leader's last transaction.</summary>
    public void Add(DateTimeOffset time, long transaction)
    {
        if (_seen.Count == capacity)
            _seen.Dequeue();
        _seen.Enqueue((time, transaction));
    }

    /// <summary>
    /// How long ago a transaction was the leader's last one. Between two answers the leader is assumed to write at an
    /// even rate. If the leader had passed the transaction before the first recorded answer, the result is a lower
    /// bound.
    /// </summary>
    /// <param name="transaction">The last transaction of a copy.</param>
    /// <param name="now">The time.</param>
    /// <param name="last">The leader's last transaction now.</param>
    public TimeSpan AgeOf(long transaction, DateTimeOffset now, long last)
    {
        if (transaction >= last)
            return TimeSpan.Zero;
        (DateTimeOffset Time, long Transaction)? before = null;
        foreach (var next in _seen.Append((Time: now, Transaction: last)))
        {
            if (next.Transaction > transaction)
            {
                if (before is not { } known)
                    return now - next.Time;
                var share = (double)(transaction - known.Transaction) / (next.Transaction - known.Transaction);
                return now - (known.Time + ((next.Time - known.Time) * share));
            }
            before = next;
        }
        return TimeSpan.Zero;
    }
}
