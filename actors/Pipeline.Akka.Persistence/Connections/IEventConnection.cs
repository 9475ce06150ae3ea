using Pipeline.Database;
using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>The event store that plugins work on, in this process or another. Thread-safe.</summary>
internal interface IEventConnection : IAsyncDisposable
{
    /// <summary>What it leads to, for people.</summary>
    string Name { get; }

    /// <summary>Appends in the order of the calls.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="events">The events.</param>
    /// <param name="documents">The collection of the events' documents; null for none.</param>
    /// <param name="ct">Ends the waiting.</param>
    Task AppendAsync(string streamId, IReadOnlyList<EventData> events, string? documents, CancellationToken ct);

    /// <summary>The highest number, after all appends that were begun before.</summary>
    Task<long> GetHighestSequenceAsync(string streamId, CancellationToken ct);

    Task DeleteAsync(string streamId, long through, CancellationToken ct);

    /// <summary>The caller disposes of the batch.</summary>
    Task<EventBatch> ReadStreamAsync(string streamId, long from, long to, ChangeLimits limits, CancellationToken ct);

    /// <summary>The caller disposes of the batch.</summary>
    Task<EventBatch> ReadAsync(long after, EventFilter filter, ChangeLimits limits, CancellationToken ct);

    Task<IReadOnlyList<EventStreamInfo>> ReadStreamsAsync(long after, int most, CancellationToken ct);

    /// <summary>The last position of the database.</summary>
    Task<long> GetLastPositionAsync(CancellationToken ct);

    /// <summary>Done, with the last position, when that lies after another; may be done sooner.</summary>
    Task<long> WaitAsync(long after, CancellationToken ct);

    Task SaveSnapshotAsync(string streamId, StreamSnapshot snapshot, SnapshotRetention? retention, CancellationToken ct);

    Task<StreamSnapshot?> LoadSnapshotAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct);

    Task DeleteSnapshotsAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct);

    /// <summary>Throws where the database cannot be reached or refuses writes.</summary>
    Task CheckAsync(CancellationToken ct);
}
