using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>A connection to a database of this process.</summary>
internal sealed class EmbeddedConnection(DocumentDatabase database, bool owned) : IEventConnection
{
    private const int DeleteBatch = 2_000;

    public string Name => $"database '{database.Name}'";

    public Task AppendAsync(
        string streamId,
        IReadOnlyList<EventData> events,
        string? documents,
        CancellationToken ct
    ) =>
        database.Events.AppendAsync(
            streamId,
            documents is null ? events : database.Events.WithDocuments(streamId, events, documents),
            ct: ct
        );

    public Task<long> GetHighestSequenceAsync(string streamId, CancellationToken ct) =>
        database.Events.GetHighestSequenceAsync(streamId, ct);

    public Task DeleteAsync(string streamId, long through, CancellationToken ct) =>
        database.Events.DeleteAsync(streamId, through, ct);

    public Task<EventBatch> ReadStreamAsync(
        string streamId,
        long from,
        long to,
        ChangeLimits limits,
        CancellationToken ct
    ) => Task.FromResult(database.Events.ReadStream(streamId, from, to, limits));

    public Task<EventBatch> ReadAsync(long after, EventFilter filter, ChangeLimits limits, CancellationToken ct) =>
        Task.FromResult(database.Events.Read(after, filter, limits));

    public Task<IReadOnlyList<EventStreamInfo>> ReadStreamsAsync(long after, int most, CancellationToken ct) =>
        Task.FromResult(database.Events.ReadStreams(after, most));

    public Task<long> GetLastPositionAsync(CancellationToken ct) => Task.FromResult(database.LastPosition);

    public async Task<long> WaitAsync(long after, CancellationToken ct)
    {
        await database.WaitForChangeAsync(after, ct).ConfigureAwait(false);
        return database.LastPosition;
    }

    public Task SaveSnapshotAsync(
        string streamId,
        StreamSnapshot snapshot,
        SnapshotRetention? retention,
        CancellationToken ct
    ) => database.WriteAsync(t => t.SaveSnapshot(streamId, snapshot, retention), ct);

    public Task<StreamSnapshot?> LoadSnapshotAsync(
        string streamId,
        StreamSnapshotCriteria criteria,
        CancellationToken ct
    )
    {
        using var snapshot = database.OpenSnapshot("actor's snapshot");
        return Task.FromResult(snapshot.LoadSnapshot(streamId, criteria));
    }

    public async Task DeleteSnapshotsAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct)
    {
        while (
            await database.WriteAsync(t => t.DeleteSnapshots(streamId, criteria, DeleteBatch), ct).ConfigureAwait(false)
            == DeleteBatch
        )
        {
            ct.ThrowIfCancellationRequested();
        }
    }

    public Task CheckAsync(CancellationToken ct)
    {
        using var snapshot = database.OpenSnapshot("health");
        return database.Storage.Failure is { } failure ? Task.FromException(failure) : Task.CompletedTask;
    }

    internal void DestroyKey(string streamId) => database.Events.DestroyKey(streamId);

    public ValueTask DisposeAsync() => owned ? database.DisposeAsync() : ValueTask.CompletedTask;
}
