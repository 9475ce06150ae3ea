namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A call whose place in the order of writes is known: its own write, or the last one that it saw.</summary>
/// <param name="Began">When it began, in ticks.</param>
/// <param name="Ended">When it was answered; <see cref="long.MaxValue"/> if it was not.</param>
/// <param name="Place">Its place.</param>
/// <param name="IsWrite">Whether it wrote that place.</param>
/// <param name="What">The call, for messages.</param>
internal sealed record PlacedCall(long Began, long Ended, int Place, bool IsWrite, string What);

/// <summary>
/// Whether an order of writes agrees with time. The order is given, so the calls are linearizable if no call that ended
/// before another began has a later place.
/// </summary>
internal sealed class RealTimeOrder
{
    private readonly long[] _ends;
    private readonly PlacedCall[] _latest;
    private readonly long[] _begins;
    private readonly int[] _earliest;
    private readonly List<PlacedCall> _calls;

    /// <summary>Prepares the calls.</summary>
    public RealTimeOrder(IEnumerable<PlacedCall> calls)
    {
        _calls = [.. calls];
        var byEnd = _calls.Where(c => c.Ended < long.MaxValue).OrderBy(c => c.Ended).ToList();
        _ends = [.. byEnd.Select(c => c.Ended)];
        _latest = new PlacedCall[byEnd.Count];
        for (var i = 0; i < byEnd.Count; i++)
            _latest[i] = i > 0 && _latest[i - 1].Place >= byEnd[i].Place ? _latest[i - 1] : byEnd[i];
        var byBegin = _calls.OrderBy(c => c.Began).ToList();
        _begins = [.. byBegin.Select(c => c.Began)];
        _earliest = new int[byBegin.Count];
        for (var i = byBegin.Count - 1; i >= 0; i--)
        {
            var place = byBegin[i].Place - (byBegin[i].IsWrite ? 1 : 0);
            _earliest[i] = i + 1 < byBegin.Count ? Math.Min(_earliest[i + 1], place) : place;
        }
    }

    /// <summary>Each call that has an earlier place than one that had ended before it began.</summary>
    public IEnumerable<string> FindFaults()
    {
        foreach (var call in _calls)
        {
            if (LatestBefore(call.Began) is { } before && before.Place >= call.Place + (call.IsWrite ? 0 : 1))
                yield return $"'{call.What}' came after '{before.What}' had ended, but has an earlier place";
        }
    }

    /// <summary>The latest and the earliest place that a call of this time may have seen.</summary>
    public (int From, int To) Window(long began, long ended)
    {
        var first = FirstAfter(_begins, ended);
        return (LatestBefore(began)?.Place ?? 0, first < _earliest.Length ? _earliest[first] : int.MaxValue);
    }

    private PlacedCall? LatestBefore(long began)
    {
        var found = Array.BinarySearch(_ends, began);
        for (found = found < 0 ? ~found : found; found > 0 && _ends[found - 1] >= began; )
            found--;
        return found > 0 ? _latest[found - 1] : null;
    }

    private static int FirstAfter(long[] sorted, long value)
    {
        var found = Array.BinarySearch(sorted, value);
        for (found = found < 0 ? ~found : found; found < sorted.Length && sorted[found] <= value; )
            found++;
        return found;
    }
}
