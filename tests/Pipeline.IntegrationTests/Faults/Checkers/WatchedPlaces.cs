using System.Globalization;

namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>The places of what subscriptions deliver among all that was ever there.</summary>
/// <param name="registers">The places of the values of each register.</param>
/// <param name="lists">The values of each list at the end, by id.</param>
internal sealed class WatchedPlaces(
    IReadOnlyList<IReadOnlyDictionary<long, int>> registers,
    IReadOnlyDictionary<string, IReadOnlyList<long>> lists
)
{
    /// <summary>The place of a change; null if it was never there.</summary>
    public int? Find(DeliveredChange change)
    {
        if (lists.TryGetValue(change.Id, out var list))
            return list.Take(change.Values.Count).SequenceEqual(change.Values) ? change.Values.Count : null;
        var register = change.Id.Split('/') is ["registers", var number]
            ? int.Parse(number, CultureInfo.InvariantCulture)
            : -1;
        return
            register >= 0
            && register < registers.Count
            && registers[register].TryGetValue(change.Values[0], out var place)
            ? place
            : null;
    }

    /// <summary>The place of the last change of each document of a collection.</summary>
    public IReadOnlyDictionary<string, int> LastOf(string collection) =>
        collection == "Lists"
            ? lists.Where(l => l.Value.Count > 0).ToDictionary(l => l.Key, l => l.Value.Count)
            : registers.Select((r, i) => (r, i)).ToDictionary(r => $"registers/{r.i}", r => r.r.Count - 1);
}
