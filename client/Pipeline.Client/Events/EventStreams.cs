using System.Runtime.CompilerServices;
using System.Text.Json;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Events;

/// <summary>Streams of events over a store's transport.</summary>
internal sealed class EventStreams(ClientContext store) : IEventStreams
{
    public Task<long> AppendAsync(
        string streamId,
        IReadOnlyList<object> events,
        AppendOptions? options = null,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(streamId);
        ArgumentNullException.ThrowIfNull(events);
        var append = new EventAppend(
            streamId,
            [.. events.Select(New)],
            options?.ExpectedNumber,
            options?.Tags ?? [],
            options?.Collection
        );
        return store.Transport.AppendEventsAsync(append, cancellationToken);
    }

    public Task<long> GetLastNumberAsync(string streamId, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(streamId);
        return store.Transport.LastEventNumberAsync(streamId, cancellationToken);
    }

    public async IAsyncEnumerable<StreamEvent> ReadAsync(
        string streamId,
        long from = 1,
        [EnumeratorCancellation] CancellationToken cancellationToken = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(streamId);
        while (true)
        {
            var rows = await store.Transport.ReadStreamAsync(streamId, from, cancellationToken).ConfigureAwait(false);
            foreach (var row in rows.Events)
                yield return Event(row);
            if (!rows.HasMore || rows.Events.Count == 0)
                yield break;
            from = rows.Events[^1].Number + 1;
        }
    }

    public IAsyncEnumerable<StreamEvent> ReadAllAsync(long after = 0, CancellationToken cancellationToken = default) =>
        ReadAllAsync(after, follows: false, cancellationToken);

    public IAsyncEnumerable<StreamEvent> FollowAsync(long after = 0, CancellationToken cancellationToken = default) =>
        ReadAllAsync(after, follows: true, cancellationToken);

    public async Task<TDocument?> BuildAsync<TDocument>(
        DocumentProjection<TDocument> projection,
        string streamId,
        CancellationToken cancellationToken = default
    )
        where TDocument : class, new()
    {
        ArgumentNullException.ThrowIfNull(projection);
        TDocument? document = null;
        await foreach (var item in ReadAsync(streamId, 1, cancellationToken).ConfigureAwait(false))
        {
            if (projection.Handles(item.Name))
                document = projection.Apply(document, item);
        }

        return document;
    }

    public Task<long> ProjectAsync<TDocument>(
        DocumentProjection<TDocument> projection,
        bool untilCurrent = false,
        CancellationToken cancellationToken = default
    )
        where TDocument : class, new()
    {
        ArgumentNullException.ThrowIfNull(projection);
        return new ProjectionRunner<TDocument>(store, projection).RunAsync(untilCurrent, cancellationToken);
    }

    private async IAsyncEnumerable<StreamEvent> ReadAllAsync(
        long after,
        bool follows,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        while (true)
        {
            var rows = await store.Transport.ReadEventsAsync(after, cancellationToken).ConfigureAwait(false);
            foreach (var row in rows.Events)
                yield return Event(row);
            after = rows.Through;
            if (rows.HasMore)
                continue;
            if (!follows)
                yield break;
            await store.Transport.WaitForChangeAsync(after, cancellationToken).ConfigureAwait(false);
        }
    }

    private StreamEvent Event(EventRow row) => new(row, store.Options.Serializer);

    private NewEvent New(object data)
    {
        ArgumentNullException.ThrowIfNull(data, "events");
        var type = data.GetType();
        return new NewEvent(
            EventNameAttribute.Of(type),
            JsonSerializer.SerializeToUtf8Bytes(data, store.Options.Serializer.GetTypeInfo(type))
        );
    }
}
