using System.Buffers;
using System.Globalization;
using System.Net.Http.Headers;
using System.Text.Json;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>
/// A connection to a server's database: one frame per request (server/README.md, "Events"). It retries network failures
/// a few times; the writer's id identifies an append that was done already.
/// </summary>
internal sealed class RemoteConnection : IEventConnection
{
    private const int WaitMilliseconds = 30_000;
    private const int Attempts = 6;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(WaitMilliseconds / 1_000 + 15);
    private readonly HttpClient _http;
    private readonly AppendQueue _appends;
    private readonly string _database;
    private readonly Uri _url;

    public RemoteConnection(Uri url, string database, ConnectionTls tls)
    {
        _url = url;
        _database = database;
        var handler = tls.Handler();
        handler.PooledConnectionLifetime = TimeSpan.FromMinutes(5);
        handler.EnableMultipleHttp2Connections = true;
        _http = new HttpClient(handler)
        {
            BaseAddress = new Uri(url, $"/databases/{Uri.EscapeDataString(database)}/events/"),
            Timeout = Timeout,
        };
        _appends = new AppendQueue(SendAppendsAsync);
    }

    public string Name => $"database '{_database}' at {_url}";

    public Task AppendAsync(
        string streamId,
        IReadOnlyList<EventData> events,
        string? documents,
        CancellationToken ct
    ) => _appends.AppendAsync(streamId, events, documents, ct);

    public async Task<long> GetHighestSequenceAsync(string streamId, CancellationToken ct)
    {
        await _appends.FlushAsync(ct).ConfigureAwait(false);
        var answer = await SendAsync("highest", w => w.Text(streamId), ct).ConfigureAwait(false);
        return answer.Long();
    }

    public Task DeleteAsync(string streamId, long through, CancellationToken ct) =>
        SendAsync(
            "delete",
            w =>
            {
                w.Text(streamId);
                w.Long(through);
            },
            ct
        );

    public async Task<EventBatch> ReadStreamAsync(
        string streamId,
        long from,
        long to,
        ChangeLimits limits,
        CancellationToken ct
    )
    {
        var answer = await SendAsync(
                "stream",
                w =>
                {
                    w.Text(streamId);
                    w.Long(from);
                    w.Long(to);
                    Limits(w, limits);
                },
                ct
            )
            .ConfigureAwait(false);
        return answer.Batch();
    }

    public async Task<EventBatch> ReadAsync(long after, EventFilter filter, ChangeLimits limits, CancellationToken ct)
    {
        var answer = await SendAsync(
                "read",
                w =>
                {
                    w.Long(after);
                    w.Filter(filter);
                    Limits(w, limits);
                },
                ct
            )
            .ConfigureAwait(false);
        return answer.Batch();
    }

    public async Task<IReadOnlyList<EventStreamInfo>> ReadStreamsAsync(long after, int most, CancellationToken ct)
    {
        var answer = await SendAsync(
                "streams",
                w =>
                {
                    w.Long(after);
                    w.Int(most);
                },
                ct
            )
            .ConfigureAwait(false);
        var streams = new List<EventStreamInfo>();
        for (var count = answer.Count(); count > 0; count--)
            streams.Add(new EventStreamInfo(answer.Long(), answer.Text()));
        return streams;
    }

    public Task<long> GetLastPositionAsync(CancellationToken ct) => WaitAsync(0, 0, ct);

    public Task<long> WaitAsync(long after, CancellationToken ct) => WaitAsync(after, WaitMilliseconds, ct);

    public Task SaveSnapshotAsync(
        string streamId,
        StreamSnapshot snapshot,
        SnapshotRetention? retention,
        CancellationToken ct
    ) =>
        SendAsync(
            "snapshots/save",
            w =>
            {
                w.Text(streamId);
                w.Int(retention?.Keep ?? 0);
                w.Int(retention?.DeleteEvents == true ? 1 : 0);
                w.Snapshot(snapshot);
            },
            ct
        );

    public async Task<StreamSnapshot?> LoadSnapshotAsync(
        string streamId,
        StreamSnapshotCriteria criteria,
        CancellationToken ct
    )
    {
        var answer = await SendAsync("snapshots/load", w => Criteria(w, streamId, criteria), ct).ConfigureAwait(false);
        return answer.Int() == 0 ? null : answer.Snapshot();
    }

    public Task DeleteSnapshotsAsync(string streamId, StreamSnapshotCriteria criteria, CancellationToken ct) =>
        SendAsync("snapshots/delete", w => Criteria(w, streamId, criteria), ct);

    public Task CheckAsync(CancellationToken ct) => GetLastPositionAsync(ct);

    public async ValueTask DisposeAsync()
    {
        await _appends.DisposeAsync().ConfigureAwait(false);
        _http.Dispose();
    }

    private static void Limits(EventFrameWriter writer, ChangeLimits limits)
    {
        writer.Int(limits.MaxCount);
        writer.Int(limits.MaxBytes);
    }

    private static void Criteria(EventFrameWriter writer, string streamId, StreamSnapshotCriteria criteria)
    {
        writer.Text(streamId);
        writer.Criteria(criteria);
    }

    private async Task<long> WaitAsync(long after, int milliseconds, CancellationToken ct)
    {
        var answer = await SendAsync(
                "wait",
                w =>
                {
                    w.Long(after);
                    w.Int(milliseconds);
                },
                ct
            )
            .ConfigureAwait(false);
        return answer.Long();
    }

    private Task<EventFrameReader> SendAppendsAsync(Action<EventFrameWriter> write) =>
        SendAsync("append", write, CancellationToken.None);

    private async Task<EventFrameReader> SendAsync(string path, Action<EventFrameWriter> write, CancellationToken ct)
    {
        var frame = new ArrayBufferWriter<byte>();
        write(new EventFrameWriter(frame));
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return await SendOnceAsync(path, frame.WrittenMemory, ct).ConfigureAwait(false);
            }
            catch (HttpRequestException e) when (attempt < Attempts && e.StatusCode is null)
            {
                await Task.Delay(FirstPause * (1 << (attempt - 1)), ct).ConfigureAwait(false);
            }
            catch (HttpRequestException e) when (e.StatusCode is null)
            {
                throw new RemoteDatabaseException(Name, e.Message, e);
            }
        }
    }

    private async Task<EventFrameReader> SendOnceAsync(string path, ReadOnlyMemory<byte> frame, CancellationToken ct)
    {
        using var content = new ReadOnlyMemoryContent(frame);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/octet-stream");
        using var answer = await _http.PostAsync(new Uri(path, UriKind.Relative), content, ct).ConfigureAwait(false);
        var body = await answer.Content.ReadAsByteArrayAsync(ct).ConfigureAwait(false);
        return answer.IsSuccessStatusCode
            ? new EventFrameReader(body)
            : throw new RemoteDatabaseException(
                Name,
                string.Create(CultureInfo.InvariantCulture, $"it answers {(int)answer.StatusCode}: {Message(body)}"),
                null
            );
    }

    private static string Message(byte[] body)
    {
        try
        {
            using var error = JsonDocument.Parse(body);
            return error.RootElement.TryGetProperty("Message", out var message)
                ? message.GetString() ?? ""
                : "no message";
        }
        catch (JsonException)
        {
            return $"{body.Length} bytes that are no message of a Pipeline server";
        }
    }
}
