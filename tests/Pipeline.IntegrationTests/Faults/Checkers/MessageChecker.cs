namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A message that an ETL task sent.</summary>
/// <param name="Offset">Its place in the topic.</param>
/// <param name="Register">The register that it is about.</param>
/// <param name="Value">The register's value.</param>
internal sealed record SentMessage(long Offset, int Register, long Value);

/// <summary>
/// An ETL task sends each change that it sees once and in order. It may pass over values that were replaced before it
/// read them, but not over the last one.
/// </summary>
internal static class MessageChecker
{
    /// <summary>What is wrong; empty if nothing is.</summary>
    /// <param name="places">The places of the values of each register.</param>
    /// <param name="messages">The messages.</param>
    public static IReadOnlyList<string> Check(
        IReadOnlyList<IReadOnlyDictionary<long, int>> places,
        IEnumerable<SentMessage> messages
    )
    {
        var faults = new List<string>();
        var last = new int[places.Count];
        Array.Fill(last, -1);
        foreach (var message in messages.OrderBy(m => m.Offset))
        {
            if (!places[message.Register].TryGetValue(message.Value, out var place))
                faults.Add($"messages: '{message}' has a value that was never there");
            else if (place <= last[message.Register])
                faults.Add($"messages: '{message}' has place {place}, after {last[message.Register]}");
            else
                last[message.Register] = place;
        }
        for (var i = 0; i < places.Count; i++)
        {
            if (last[i] != places[i].Count - 1)
                faults.Add($"messages: the last of register {i} has place {last[i]} of {places[i].Count - 1}");
        }
        return faults;
    }
}
