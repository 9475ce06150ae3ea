namespace Pipeline.Cluster.Tests.Node;

/// <summary>Writes down what the loop asks for.</summary>
internal sealed class RecordingHost : INodeHost
{
    public List<(long Id, LogRecord Record, long Expected)> Sent { get; } = [];

    public List<long> Published { get; } = [];

    public List<(long Transaction, byte[] Payload)> Applied { get; } = [];

    public List<object> Acknowledged { get; } = [];

    public List<(object Token, NodeRefusal Reason)> Refused { get; } = [];

    public int Drops { get; private set; }

    public void Append(long id, LogRecord record, long expected) => Sent.Add((id, record, expected));

    public void Publish(long transaction, in ReadPosition position) => Published.Add(transaction);

    public void Apply(long transaction, ReadOnlyMemory<byte> payload, in ReadPosition position) =>
        Applied.Add((transaction, payload.ToArray()));

    /// <summary>Whether the log holds the transactions that the store was opened with.</summary>
    public bool HasWhatIsRead { get; set; } = true;

    public bool Has(long transaction, ReadOnlyMemory<byte> payload) => HasWhatIsRead;

    public void Drop(NodeRefusal reason) => Drops++;

    public void Acknowledge(object token) => Acknowledged.Add(token);

    public void Refuse(object token, NodeRefusal reason) => Refused.Add((token, reason));
}
