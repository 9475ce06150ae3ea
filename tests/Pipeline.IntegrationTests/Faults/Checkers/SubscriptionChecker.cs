namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A batch that a subscription delivered.</summary>
/// <param name="Connection">Which connection of the consumer it came over, from 1.</param>
/// <param name="Node">The node that the consumer was connected to.</param>
/// <param name="Changes">The documents, in their order.</param>
internal sealed record DeliveredBatch(int Connection, string Node, IReadOnlyList<DeliveredChange> Changes)
{
    /// <summary>What the consumer knows of its acknowledgement; null if it sent none.</summary>
    public CallOutcome? Acknowledgement { get; set; }

    public override string ToString() =>
        $"connection {Connection} to {Node}: {string.Join(", ", Changes)}, {Acknowledgement?.ToString() ?? "not acknowledged"}";
}

/// <summary>A document that a subscription delivered.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Values">The value of a register, or the values of a list.</param>
internal sealed record DeliveredChange(string Id, IReadOnlyList<long> Values)
{
    public override string ToString() =>
        $"{Id} with {Values.Count} values up to {(Values.Count > 0 ? Values[^1] : -1)}";
}

/// <summary>
/// The last change of each document arrives and is acknowledged. The changes of a document arrive in their order, and
/// none arrives again after the acknowledgement of its batch was confirmed.
/// </summary>
internal static class SubscriptionChecker
{
    /// <summary>What is wrong; empty if nothing is.</summary>
    /// <param name="name">The subscription.</param>
    /// <param name="batches">What one consumer received, in that order.</param>
    /// <param name="placeOf">The place of a change among those of its document; null if it was never there.</param>
    /// <param name="last">The place of the last change of each document.</param>
    public static IReadOnlyList<string> Check(
        string name,
        IEnumerable<DeliveredBatch> batches,
        Func<DeliveredChange, int?> placeOf,
        IReadOnlyDictionary<string, int> last
    )
    {
        var faults = new List<string>();
        var (confirmed, settled) = (new Dictionary<string, int>(), new Dictionary<string, int>());
        var (received, connection) = (new Dictionary<string, int>(), 0);
        foreach (var batch in batches)
        {
            if (batch.Connection != connection)
                received.Clear();
            connection = batch.Connection;
            foreach (var change in batch.Changes)
            {
                if (placeOf(change) is not { } place)
                {
                    faults.Add($"{name}: '{change}' of '{batch}' was never there");
                    continue;
                }
                if (received.TryGetValue(change.Id, out var before) && place <= before)
                    faults.Add($"{name}: '{change}' of '{batch}' has place {place}, after {before}");
                if (confirmed.TryGetValue(change.Id, out var done) && place <= done)
                    faults.Add($"{name}: '{change}' of '{batch}' has place {place}; {done} was acknowledged before");
                received[change.Id] = place;
                // A client that was not told may have acknowledged, and then the change does not come again.
                if (batch.Acknowledgement is not null)
                    settled[change.Id] = Math.Max(place, settled.GetValueOrDefault(change.Id, -1));
                if (batch.Acknowledgement == CallOutcome.Done)
                    confirmed[change.Id] = Math.Max(place, confirmed.GetValueOrDefault(change.Id, -1));
            }
        }
        foreach (var (id, place) in last)
        {
            if (settled.GetValueOrDefault(id, -1) is var got && got != place)
                faults.Add($"{name}: the last change of '{id}' has place {place}, and {got} was acknowledged");
        }
        return faults;
    }
}
