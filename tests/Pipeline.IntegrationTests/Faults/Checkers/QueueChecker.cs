namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A message that an ETL task sent to a queue.</summary>
/// <param name="Id">What a consumer knows a repeated message by.</param>
/// <param name="Register">The register that it is about.</param>
/// <param name="Value">The register's value.</param>
internal sealed record QueuedMessage(string Id, int Register, long Value);

/// <summary>
/// A queue without transactions may get a change twice, but then under the same id, and gets the last change of each
/// document.
/// </summary>
internal static class QueueChecker
{
    /// <summary>What is wrong; empty if nothing is.</summary>
    /// <param name="places">The places of the values of each register.</param>
    /// <param name="messages">The messages in the queue's order.</param>
    public static IReadOnlyList<string> Check(
        IReadOnlyList<IReadOnlyDictionary<long, int>> places,
        IEnumerable<QueuedMessage> messages
    )
    {
        var faults = new List<string>();
        var byId = new Dictionary<string, QueuedMessage>(StringComparer.Ordinal);
        var byValue = new Dictionary<(int, long), QueuedMessage>();
        foreach (var message in messages)
        {
            if (!places[message.Register].ContainsKey(message.Value))
                faults.Add($"queue: '{message}' has a value that was never there");
            if (!byId.TryAdd(message.Id, message) && byId[message.Id] != message)
                faults.Add($"queue: '{message}' has the id of '{byId[message.Id]}'");
            var known = byValue.GetValueOrDefault((message.Register, message.Value));
            if (known is not null && known.Id != message.Id)
                faults.Add($"queue: '{message}' came before as '{known.Id}'");
            byValue[(message.Register, message.Value)] = message;
        }
        for (var register = 0; register < places.Count; register++)
        {
            var (value, place) = places[register].MaxBy(p => p.Value);
            if (!byValue.ContainsKey((register, value)))
                faults.Add($"queue: the last of register {register}, {value} at place {place}, did not come");
        }
        return faults;
    }

    /// <summary>How many messages came more than once.</summary>
    public static int CountRepeated(IReadOnlyCollection<QueuedMessage> messages) =>
        messages.Count - messages.DistinctBy(m => m.Id).Count();
}
