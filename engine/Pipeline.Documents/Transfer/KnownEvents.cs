using Pipeline.Documents.Events;

namespace Pipeline.Documents.Transfer;

/// <summary>The events of a snapshot in a range of positions, to tell which events of another one are the same.</summary>
internal sealed class KnownEvents : IDisposable
{
    private readonly Dictionary<long, StoredEvent> _events = [];
    private readonly List<EventBatch> _batches = [];

    /// <summary>Reads the events behind a position, up to another.</summary>
    internal KnownEvents(DatabaseSnapshot snapshot, long after, long through)
    {
        while (after < through)
        {
            var batch = snapshot.ReadEvents(after);
            _batches.Add(batch);
            for (var i = 0; i < batch.Count && batch[i].Position <= through; i++)
                _events[batch[i].Position] = batch[i];
            after = batch.Through;
            if (!batch.HasMore)
                break;
        }
    }

    internal bool Has(StoredEvent other) =>
        _events.TryGetValue(other.Position, out var known)
        && known.StreamId == other.StreamId
        && known.SequenceNumber == other.SequenceNumber
        && known.Payload.Span.SequenceEqual(other.Payload.Span);

    /// <inheritdoc/>
    public void Dispose() => _batches.ForEach(b => b.Dispose());
}
