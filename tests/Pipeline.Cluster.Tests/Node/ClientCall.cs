namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// A call of a client. All calls are linearizable if there is an order of them that agrees with real time. The log's
/// order of transactions is one for the writes; a read, or a failed comparison, belongs behind the transaction that it
/// was answered from.
/// </summary>
/// <param name="history">What all clients know.</param>
/// <param name="transaction">The transaction that the call writes, or the last one that it saw.</param>
/// <param name="payload">What it writes; nothing in a read.</param>
/// <param name="look">Gives the last transaction that it sees if it looks only when it ends.</param>
internal sealed class ClientCall(ClientHistory history, long transaction, string? payload, Func<long>? look = null)
{
    private long Transaction { get; } = transaction;

    /// <summary>When the call began, everything up to this transaction had been seen by somebody.</summary>
    private readonly long _seenBefore = history.Seen;

    public void Succeed()
    {
        var transaction = look?.Invoke() ?? Transaction;
        if (payload is not null)
        {
            history.Acknowledged[transaction] = payload;
            history.Writes++;
        }
        else
        {
            if (transaction < _seenBefore)
                throw new SimulationFailure($"a read saw transaction {transaction}, after {_seenBefore} had been seen");
            if (transaction > history.Accepted())
                throw new SimulationFailure($"an answer came from transaction {transaction}, which is not accepted");
            history.Reads++;
            history.ConfirmedReads += look is null ? 0 : 1;
        }
        history.Seen = Math.Max(history.Seen, transaction);
    }

    public void Fail(NodeRefusal reason)
    {
        if (payload is not null && reason == NodeRefusal.NotAccepted)
            history.Refused.Add(payload);
    }
}
