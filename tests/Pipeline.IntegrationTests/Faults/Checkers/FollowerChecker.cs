namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A read of all registers at one node, from its own copy.</summary>
/// <param name="Began">When it began, in ticks.</param>
/// <param name="Client">Whose read it is.</param>
/// <param name="Node">The node.</param>
/// <param name="Start">How often the node had been started.</param>
/// <param name="Values">The value of each register.</param>
/// <param name="AtLeast">
/// A register and the value that the client had written, if the read waited for its position.
/// </param>
internal sealed record FollowerRead(
    long Began,
    string Client,
    string Node,
    int Start,
    IReadOnlyList<long> Values,
    (int Register, long Value)? AtLeast
)
{
    public override string ToString() => $"{Client} at {Node}, start {Start}: {string.Join(", ", Values)}, {Began}";
}

/// <summary>
/// A client that reads at one node never sees an older state than before, nor one older than the position that it waits
/// for, nor a value that the log did not accept.
/// </summary>
/// <param name="places">The places of the values of each register.</param>
internal sealed class FollowerChecker(IReadOnlyList<IReadOnlyDictionary<long, int>> places)
{
    /// <summary>How often a node's copy was older after it had been started again. That is allowed.</summary>
    public int OlderAfterStart { get; private set; }

    /// <summary>What is wrong; empty if nothing is.</summary>
    public IReadOnlyList<string> Check(IEnumerable<FollowerRead> reads)
    {
        var faults = new List<string>();
        foreach (var session in reads.OrderBy(r => r.Began).GroupBy(r => (r.Client, r.Node)))
        {
            FollowerRead? last = null;
            foreach (var read in session)
            {
                if (Enumerable.Range(0, places.Count).Any(i => !places[i].ContainsKey(read.Values[i])))
                {
                    faults.Add($"follower: '{read}' saw a value that was never there");
                    continue;
                }
                if (read.AtLeast is { } wanted && IsOlder(read, wanted.Register, wanted.Value))
                    faults.Add($"follower: '{read}' waited for {wanted.Value} in register {wanted.Register}");
                if (last is not null && Enumerable.Range(0, places.Count).Any(i => IsOlder(read, i, last.Values[i])))
                {
                    if (last.Start == read.Start)
                        faults.Add($"follower: '{read}' came after '{last}'");
                    else
                        OlderAfterStart++;
                }
                last = read;
            }
        }
        return faults;
    }

    private bool IsOlder(FollowerRead read, int register, long than) =>
        places[register].TryGetValue(than, out var place) && places[register][read.Values[register]] < place;
}
