namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// A log in simulated time. A process's appends land in their order, as <see cref="ISharedLog"/> promises, except for
/// those with a fault: these land late, twice or never, and answers are late, lost, unknown or wrong.
/// </summary>
internal sealed class SimulatedLog(Random random, PriorityQueue<Action, (long, long)> events, Func<long> now)
{
    private readonly Dictionary<int, long> _lastLanding = [];
    private long _number;

    public List<ReadOnlyMemory<byte>> Records { get; } = [];

    /// <summary>The first place that nodes can read. What was trimmed stays, for the judge.</summary>
    public long First { get; private set; }

    /// <summary>Gives up what comes before a place.</summary>
    public void Trim(long before) => First = Math.Max(First, before);

    /// <summary>Whether faults happen.</summary>
    public bool IsFaulty { get; set; } = true;

    public void Append(int node, ReadOnlyMemory<byte> record, Action<AppendAnswer> answer)
    {
        var fault = IsFaulty ? random.Next(100) : 99;
        var landing = fault switch
        {
            < 2 => random.Next(100, 4000),
            < 6 => random.Next(20, 400),
            _ => InOrder(node, random.Next(1, 4)),
        };
        if (fault is 6 or 7)
            return;
        if (fault is 8)
        {
            Later(5, () => answer(AppendAnswer.Unknown()));
            return;
        }
        Later(
            landing,
            () =>
            {
                var place = Records.Count;
                Records.Add(record);
                if (fault is 9)
                    return;
                var told = fault is 10
                    ? AppendAnswer.Unknown()
                    : AppendAnswer.At(fault is 11 ? place + random.Next(1, 5) : place);
                Later(fault is 15 or 16 ? random.Next(100, 1500) : random.Next(1, 4), () => answer(told));
            }
        );
        if (fault is 12 or 13)
            Later(random.Next(5, 3000), () => Records.Add(record));
        if (fault is 14)
            Later(2, () => answer(AppendAnswer.Unknown()));
    }

    private long InOrder(int node, int after)
    {
        var at = Math.Max(now() + after, _lastLanding.GetValueOrDefault(node));
        _lastLanding[node] = at;
        return at - now();
    }

    public void Later(long after, Action what) => events.Enqueue(what, (now() + after, _number++));
}
