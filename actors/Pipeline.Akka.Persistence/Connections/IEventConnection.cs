using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>The event store that plugins use, in this process or another. Thread-safe.</summary>
internal interface IEventConnection : IAsyncDisposable
{
    /// <summary>Its description, for messages.</summary>
    string Name { get; }

    /// <summary>Appends in the order of the calls.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="events">The events.</param>
    /// <param name="documents">The collection of the events' documents; null for none.</param>
    /// <param name="ct">Stops waiting.</param>
    Task AppendAsync(string streamId, IReadOnlyList<EventData> events, string? documents, CancellationToken ct);

    /// <summary>The highest number, including all appends that were started before the call.</summary>
    Task<long> GetHighestSequenceAsync(string streamId, CancellationToken ct);

    Task DeleteAsync(string streamId, long through, CancellationToken ct);

    /// <summary>Reads events of a stream. The caller disposes the batch.</summary>
    Task<EventBatch> ReadStreamAsync(string streamId, long from, long to, ChangeLimits limits, CancellationToken ct);

    /// <summary>Reads events of the database. The caller disposes the batch.</summary>
    Task<EventBatch> ReadAsync(long after, EventFilter filter, ChangeLimits limits, CancellationToken ct);

    Task<IReadOnlyList<EventStreamInfo>> ReadStreamsAsync(long after, int most, CancellationToken ct);

    /// <summary>The last position of the database.</summary>
    Task<long> GetLastPositionAsync(CancellationToken ct);

    /// <summary>Completes with the last position once it exceeds another; may complete sooner.</summary>
    Task<long> WaitAsync(long after, CancellationToken ct);

    Task SaveSnapshotAsync(
        string streamId,
        StreamSnapshot snapshot,
        SnapshotRetention? retention,
        CancellationToken ct
    );

    Task<StreamSnapshot?> LoadSnapshotAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct);

    Task DeleteSnapshotsAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct);

    /// <summary>Throws if the database cannot be reached or refuses writes.</summary>
    Task CheckAsync(CancellationToken ct);
}
