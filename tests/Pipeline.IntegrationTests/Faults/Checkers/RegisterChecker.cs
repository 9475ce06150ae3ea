namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A call to a register. Each write has a unique value, and replaces a value that its client has read.</summary>
/// <param name="Began">When it began, in ticks.</param>
/// <param name="Ended">When it was answered.</param>
/// <param name="Client">Whose call it is.</param>
/// <param name="Node">The node that it was sent to.</param>
/// <param name="Expected">The value that a write replaces; null for a read.</param>
/// <param name="Value">The value written or read.</param>
/// <param name="Outcome">What the client was told.</param>
internal sealed record RegisterCall(
    long Began,
    long Ended,
    string Client,
    string Node,
    long? Expected,
    long Value,
    CallOutcome Outcome
)
{
    public bool IsWrite => Expected is not null;

    public override string ToString() =>
        $"{Client} at {Node}: {(IsWrite ? $"{Expected} -> {Value}" : $"read {Value}")}, {Outcome}, {Began}..{Ended}";
}

/// <summary>
/// Whether the calls to one register are linearizable. A write names the value that it replaces, so the values form a
/// chain; the chain must have no fork and agree with time.
/// </summary>
internal sealed class RegisterChecker
{
    private readonly string _name;
    private readonly IReadOnlyList<RegisterCall> _calls;
    private readonly Dictionary<long, RegisterCall> _writes = [];
    private readonly Dictionary<long, RegisterCall> _next = [];
    private readonly HashSet<long> _onChain = [];
    private readonly List<string> _faults = [];

    /// <summary>Checks the calls.</summary>
    /// <param name="name">The register, for messages.</param>
    /// <param name="initial">The value before all calls.</param>
    /// <param name="calls">The calls, in any order.</param>
    /// <param name="seen">Values that others saw, and who; they need not agree with time.</param>
    public RegisterChecker(
        string name,
        long initial,
        IReadOnlyList<RegisterCall> calls,
        IEnumerable<(long Value, string By)>? seen = null
    )
    {
        (_name, _calls) = (name, calls);
        foreach (var write in calls.Where(c => c.IsWrite))
            _writes[write.Value] = write;
        _onChain.Add(initial);
        foreach (var call in calls.Where(c => c.Outcome == CallOutcome.Done))
            Observe(call.Value, call.ToString());
        foreach (var (value, by) in seen ?? [])
            Observe(value, by);
        Places[initial] = 0;
        for (var at = initial; _next.TryGetValue(at, out var write); at = write.Value)
            Places[write.Value] = Places[at] + 1;
        CheckTime();
    }

    /// <summary>The place of each value that was ever there.</summary>
    public Dictionary<long, int> Places { get; } = [];

    /// <summary>What is wrong; empty if nothing is.</summary>
    public IReadOnlyList<string> Faults => _faults;

    /// <summary>Puts a value that somebody saw, and all those that it rests on, on the chain.</summary>
    private void Observe(long value, string by)
    {
        while (_onChain.Add(value))
        {
            if (!_writes.TryGetValue(value, out var write))
            {
                _faults.Add($"{_name}: nobody wrote {value}, which was seen by '{by}'");
                return;
            }
            if (write.Outcome is CallOutcome.Refused or CallOutcome.Mismatched)
                _faults.Add($"{_name}: '{write}' was carried out, and seen by '{by}'");
            if (!_next.TryAdd(write.Expected!.Value, write))
                _faults.Add($"{_name}: '{write}' and '{_next[write.Expected.Value]}' replaced the same value");
            (value, by) = (write.Expected.Value, write.ToString());
        }
    }

    private void CheckTime()
    {
        var placed = _calls
            .Where(c => Places.ContainsKey(c.Value) && (c.IsWrite || c.Outcome == CallOutcome.Done))
            .Select(c => new PlacedCall(
                c.Began,
                c.Outcome == CallOutcome.Done ? c.Ended : long.MaxValue,
                Places[c.Value],
                c.IsWrite,
                c.ToString()
            ));
        var order = new RealTimeOrder(placed);
        _faults.AddRange(order.FindFaults().Select(f => $"{_name}: {f}"));
        foreach (var call in _calls.Where(c => c.Outcome == CallOutcome.Mismatched))
        {
            var (from, to) = order.Window(call.Began, call.Ended);
            if (from == to && Places.TryGetValue(call.Expected!.Value, out var place) && place == from)
            {
                _faults.Add(
                    $"{_name}: '{call}' failed because of another value, but the register had no other value then"
                );
            }
        }
    }
}
