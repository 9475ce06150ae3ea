using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Pipeline.Documents.Events;

/// <summary>
/// Events in streams, with the database's positions. One commit can append to many streams; events can be replayed in
/// order and followed as they are committed. Thread-safe.
/// </summary>
/// <remarks>
/// To commit an event together with other changes, use <see cref="DocumentStorage.WriteAsync{T}"/> with
/// <see cref="DocumentTransaction.AppendEvents"/>.
/// <see cref="DatabaseSnapshot"/> has lower-level reads. engine/README.md, "Events", lists the guarantees.
/// </remarks>
public sealed class EventStore
{
    private readonly DocumentStorage _database;
    private readonly EventOptions _options;

    internal EventStore(DocumentStorage database, EventOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.DeleteBatch, nameof(options));
        _database = database;
        _options = options;
    }

    /// <summary>The position of the last durable change of the database; 0 before the first.</summary>
    public long LastPosition => _database.LastPosition;

    /// <summary>
    /// Appends events to a stream: all of them or none, in one commit, which those of other callers share.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="events">The events.</param>
    /// <param name="expectedSequence">The number that must be the stream's highest; null for any.</param>
    /// <param name="ct">Stops waiting; the events may still be appended.</param>
    /// <returns>Where the stream is, once durable.</returns>
    /// <inheritdoc cref="DocumentTransaction.AppendEvents"/>
    public async Task<AppendResult> AppendAsync(
        string streamId,
        IReadOnlyList<EventData> events,
        long? expectedSequence = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(events);
        EnsureKey(streamId);
        var started = Stopwatch.GetTimestamp();
        try
        {
            var result = await _database
                .WriteAsync(t => t.AppendEvents(streamId, events, expectedSequence), ct)
                .ConfigureAwait(false);
            EventMetrics.Appended(_database.Name, events.Count, Stopwatch.GetElapsedTime(started));
            return result;
        }
        catch (EventConflictException)
        {
            EventMetrics.Conflicted(_database.Name);
            throw;
        }
    }

    /// <summary>
    /// Gives events their documents (<see cref="EventDocument"/>), where the stream is not encrypted.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="events">The events.</param>
    /// <param name="collection">The documents' collection.</param>
    /// <returns>The events, those whose payload is JSON with a document.</returns>
    public IReadOnlyList<EventData> WithDocuments(string streamId, IReadOnlyList<EventData> events, string collection)
    {
        ArgumentNullException.ThrowIfNull(events);
        return IsEncrypted(streamId)
            ? events
            :
            [
                .. events.Select(e =>
                    e with
                    {
                        Document = EventDocument.TryMake(streamId, e, collection, _database.Limits),
                    }
                ),
            ];
    }

    /// <summary>
    /// The highest number ever given in a stream, after all appends that were begun before this call; 0 if the stream
    /// does not exist.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="ct">Ends the wait.</param>
    public Task<long> GetHighestSequenceAsync(string streamId, CancellationToken ct = default) =>
        _database.WriteAsync(t => t.GetHighestSequence(streamId), ct);

    /// <summary>
    /// Deletes the first events of a stream, in small commits, in order: a reader during the deletion or after a crash
    /// finds the rest.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="through">The last number to delete; <see cref="long.MaxValue"/> for all.</param>
    /// <param name="ct">Stops it; events deleted so far stay deleted.</param>
    /// <returns>The number of deleted events.</returns>
    public async Task<long> DeleteAsync(string streamId, long through, CancellationToken ct = default)
    {
        long deleted = 0;
        while (true)
        {
            var some = await _database
                .WriteAsync(t => t.DeleteEvents(streamId, through, _options.DeleteBatch), ct)
                .ConfigureAwait(false);
            deleted += some;
            if (some < _options.DeleteBatch)
                return deleted;
        }
    }

    /// <summary>Reads some events of a stream; see <see cref="DatabaseSnapshot.ReadStream"/>.</summary>
    public EventBatch ReadStream(string streamId, long from = 1, long to = long.MaxValue, ChangeLimits? limits = null)
    {
        using var snapshot = _database.OpenSnapshot("events");
        return Count(snapshot.ReadStream(streamId, from, to, limits));
    }

    /// <summary>Reads some events of all streams; see <see cref="DatabaseSnapshot.ReadEvents"/>.</summary>
    public EventBatch Read(long after, EventFilter? filter = null, ChangeLimits? limits = null)
    {
        using var snapshot = _database.OpenSnapshot("events");
        return Count(snapshot.ReadEvents(after, filter, limits));
    }

    /// <summary>
    /// Reads some events of all streams, the last ones first; see <see cref="DatabaseSnapshot.ReadEventsBackwards"/>.
    /// </summary>
    public EventBatch ReadBackwards(
        long before = long.MaxValue,
        EventFilter? filter = null,
        ChangeLimits? limits = null
    )
    {
        using var snapshot = _database.OpenSnapshot("events");
        return Count(snapshot.ReadEventsBackwards(before, filter, limits));
    }

    /// <summary>Some streams, in the order of their making; see <see cref="DatabaseSnapshot.ReadStreams"/>.</summary>
    public IReadOnlyList<EventStreamInfo> ReadStreams(long after = 0, int most = 4096)
    {
        using var snapshot = _database.OpenSnapshot("events");
        return snapshot.ReadStreams(after, most);
    }

    /// <summary>
    /// Returns the events after a position, and then each new one at its commit. Never ends by itself; holds no
    /// snapshot between batches.
    /// </summary>
    /// <param name="after">The position; 0 for the first event.</param>
    /// <param name="filter">The filter for events; null for all.</param>
    /// <param name="limits">The size of a batch.</param>
    /// <param name="ct">Ends it with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>
    /// Batches with at least one event, each valid until the next is requested. After an interruption, continue after
    /// the position of the last processed event.
    /// </returns>
    public async IAsyncEnumerable<EventBatch> FollowAsync(
        long after,
        EventFilter? filter = null,
        ChangeLimits? limits = null,
        [EnumeratorCancellation] CancellationToken ct = default
    )
    {
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            using (var batch = Read(after, filter, limits))
            {
                after = batch.Through;
                if (batch.Count > 0)
                    yield return batch;
                if (batch.HasMore)
                    continue;
            }

            await _database.WaitForChangeAsync(after, ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Returns the events of a stream from a number on, and then each new one at its commit, until the last number
    /// wanted.
    /// </summary>
    /// <param name="streamId">The stream, which need not exist yet.</param>
    /// <param name="from">The first number wanted.</param>
    /// <param name="to">The last number wanted.</param>
    /// <param name="limits">The size of a batch.</param>
    /// <param name="ct">Ends it with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>Batches with at least one event, each valid until the next is requested.</returns>
    public async IAsyncEnumerable<EventBatch> FollowStreamAsync(
        string streamId,
        long from = 1,
        long to = long.MaxValue,
        ChangeLimits? limits = null,
        [EnumeratorCancellation] CancellationToken ct = default
    )
    {
        while (from <= to)
        {
            ct.ThrowIfCancellationRequested();
            long seen;
            using (var snapshot = _database.OpenSnapshot("events"))
            {
                seen = snapshot.LastPosition;
                using var batch = Count(snapshot.ReadStream(streamId, from, to, limits));
                if (batch.Count > 0)
                {
                    from = batch[^1].SequenceNumber + 1;
                    yield return batch;
                }

                if (batch.HasMore || from > to)
                    continue;
            }

            await _database.WaitForChangeAsync(seen, ct).ConfigureAwait(false);
        }
    }

    /// <summary>Returns the existing streams, and then each new one at its creation.</summary>
    /// <param name="after">The number of a stream after which to begin; 0 for the first.</param>
    /// <param name="ct">Ends it with an <see cref="OperationCanceledException"/>.</param>
    public async IAsyncEnumerable<EventStreamInfo> FollowStreamsAsync(
        long after = 0,
        [EnumeratorCancellation] CancellationToken ct = default
    )
    {
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            IReadOnlyList<EventStreamInfo> streams;
            long seen;
            using (var snapshot = _database.OpenSnapshot("events"))
            {
                seen = snapshot.LastPosition;
                streams = snapshot.ReadStreams(after);
            }

            foreach (var stream in streams)
            {
                after = stream.Number;
                yield return stream;
            }

            if (streams.Count == 0)
                await _database.WaitForChangeAsync(seen, ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Destroys the key of an encrypted stream: its content can no longer be read, here, in backups and in copies. Its
    /// events stay as gaps that queries mark; appends are refused.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <exception cref="InvalidOperationException">The database has no keys of streams.</exception>
    public void DestroyKey(string streamId) => Keys().Destroy(streamId);

    internal int DeleteBatch => _options.DeleteBatch;

    internal bool IsEncrypted(string streamId) =>
        _options.Keys is not null && (_options.Encrypt?.Invoke(streamId) ?? true);

    internal byte[] GetKey(string streamId) => Keys().GetOrCreate(streamId);

    internal bool TryGetKey(string streamId, [NotNullWhen(true)] out byte[]? key) => Keys().TryGet(streamId, out key);

    /// <summary>Creates the key if it is missing, so that the committing thread finds it in memory.</summary>
    internal void EnsureKey(string streamId)
    {
        if (IsEncrypted(streamId))
            GetKey(streamId);
    }

    private IStreamKeys Keys() =>
        _options.Keys
        ?? throw new InvalidOperationException(
            $"The database '{_database.Name}' has encrypted events or needs a stream key, but EventOptions.Keys is not set."
        );

    private EventBatch Count(EventBatch batch)
    {
        EventMetrics.Read(_database.Name, batch.Count);
        return batch;
    }
}
