using Pipeline.Client.Transport;
using Pipeline.Documents.Events;

namespace Pipeline.Client;

internal sealed partial class EmbeddedTransport
{
    public async Task<long> AppendEventsAsync(EventAppend append, CancellationToken cancellationToken)
    {
        List<EventData> events =
        [
            .. append.Events.Select(e => new EventData
            {
                Manifest = e.Name,
                Payload = e.Payload,
                Tags = append.Tags,
            }),
        ];
        try
        {
            var result = await database
                .Events.AppendAsync(
                    append.StreamId,
                    append.Collection is { } collection
                        ? database.Events.WithDocuments(append.StreamId, events, collection)
                        : events,
                    append.ExpectedNumber,
                    cancellationToken
                )
                .ConfigureAwait(false);
            return result.LastSequenceNumber;
        }
        catch (EventConflictException e)
        {
            throw new ConcurrencyException(e.Message, null, e);
        }
        catch (Exception e) when (e is InvalidEventException or StreamKeyDestroyedException)
        {
            throw new EventAppendException(e.Message, append.StreamId, e);
        }
    }

    public Task<long> LastEventNumberAsync(string streamId, CancellationToken cancellationToken) =>
        database.Events.GetHighestSequenceAsync(streamId, cancellationToken);

    public Task<EventRows> ReadStreamAsync(string streamId, long from, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var batch = database.Events.ReadStream(streamId, from);
        return Task.FromResult(Rows(batch));
    }

    public Task<EventRows> ReadEventsAsync(long after, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var batch = database.Events.Read(after);
        return Task.FromResult(Rows(batch));
    }

    public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
        database.WaitForChangeAsync(after, cancellationToken);

    private static EventRows Rows(EventBatch batch)
    {
        var rows = new List<EventRow>(batch.Count);
        foreach (var e in batch)
        {
            rows.Add(
                new EventRow(
                    e.Position,
                    e.StreamId,
                    e.SequenceNumber,
                    e.Timestamp,
                    e.Manifest,
                    e.Tags,
                    e.Payload.ToArray(),
                    e.IsKeyDestroyed
                )
            );
        }

        return new EventRows(rows, batch.Through, batch.HasMore);
    }
}
