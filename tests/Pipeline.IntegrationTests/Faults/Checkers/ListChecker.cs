namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A call that appends a unique value to a list, or reads the list.</summary>
/// <param name="Began">When it began, in ticks.</param>
/// <param name="Ended">When it was answered.</param>
/// <param name="Client">Whose call it is.</param>
/// <param name="Node">The node that it was sent to.</param>
/// <param name="Appended">The value appended; null for a read.</param>
/// <param name="Read">All values that the answer showed; null without one.</param>
/// <param name="Outcome">What the client was told.</param>
internal sealed record ListCall(
    long Began,
    long Ended,
    string Client,
    string Node,
    long? Appended,
    IReadOnlyList<long>? Read,
    CallOutcome Outcome
)
{
    public override string ToString() =>
        $"{Client} at {Node}: {(Appended is { } value ? $"append {value}" : $"read {Read?.Count} values")}, {Outcome}, {Began}..{Ended}";
}

/// <summary>
/// Whether the calls to one list are linearizable: each value is there at most once, acknowledged ones are there, and
/// each read shows the beginning of every later one.
/// </summary>
internal static class ListChecker
{
    /// <summary>What is wrong; empty if nothing is. One of the calls must read the list after all others.</summary>
    public static IReadOnlyList<string> Check(string name, IReadOnlyList<ListCall> calls)
    {
        var faults = new List<string>();
        var longest = calls.Select(c => c.Read).OfType<IReadOnlyList<long>>().MaxBy(r => r.Count) ?? [];
        var places = new Dictionary<long, int>();
        for (var i = 0; i < longest.Count; i++)
        {
            if (!places.TryAdd(longest[i], i + 1))
                faults.Add($"{name}: {longest[i]} is there twice, at {places[longest[i]] - 1} and {i}");
        }
        foreach (var call in calls.Where(c => c.Read is not null))
        {
            if (!longest.Take(call.Read!.Count).SequenceEqual(call.Read))
                faults.Add($"{name}: '{call}' does not show the beginning of the longest list");
        }
        var appends = calls.Where(c => c.Appended is not null).ToDictionary(c => c.Appended!.Value);
        foreach (var call in appends.Values)
        {
            var isThere = places.ContainsKey(call.Appended!.Value);
            if (call.Outcome == CallOutcome.Done && !isThere)
                faults.Add($"{name}: '{call}' is lost");
            if (call.Outcome == CallOutcome.Refused && isThere)
                faults.Add($"{name}: '{call}' was carried out");
        }
        faults.AddRange(places.Keys.Where(v => !appends.ContainsKey(v)).Select(v => $"{name}: nobody appended {v}"));
        var reads = calls
            .Where(c => c is { Read: not null, Appended: null })
            .Select(c => new PlacedCall(c.Began, c.Ended, c.Read!.Count, IsWrite: false, c.ToString()));
        var writes = appends
            .Values.Where(c => places.ContainsKey(c.Appended!.Value))
            .Select(c => new PlacedCall(
                c.Began,
                c.Outcome == CallOutcome.Done ? c.Ended : long.MaxValue,
                places[c.Appended!.Value],
                IsWrite: true,
                c.ToString()
            ));
        faults.AddRange(new RealTimeOrder(reads.Concat(writes)).FindFaults().Select(f => $"{name}: {f}"));
        return faults;
    }
}
