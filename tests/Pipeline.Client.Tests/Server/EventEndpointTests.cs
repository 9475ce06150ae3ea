using System.Buffers;
using System.Net;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>The frames in which events go over HTTP.</summary>
public sealed class EventEndpointTests : IAsyncLifetime, IDisposable
{
    private PipelineServer _server = null!;
    private HttpClient _http = null!;
    private DocumentDatabase _db = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(new ServerOptions { Url = new Uri("http://127.0.0.1:0") });
        _db = await _server.CreateDatabaseAsync("shop");
        _http = new HttpClient { BaseAddress = new Uri(_server.Url, "/databases/shop/events/") };
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task Appends_are_answered_one_by_one_and_their_events_read()
    {
        var first = new EventData
        {
            SequenceNumber = 1,
            Payload = """{"N":1}"""u8.ToArray(),
            SerializerId = 7,
            Manifest = "m",
            Writer = "w",
            Tags = ["red"],
        };
        var answer = await SendAsync(
            "append",
            w =>
            {
                w.Int(3);
                Append(
                    w,
                    "a",
                    "Events",
                    first,
                    first with
                    {
                        SequenceNumber = 2,
                        Payload = "no json"u8.ToArray(),
                        Tags = [],
                    }
                );
                Append(w, "b", "", first);
                Append(w, "a", "", first with { SequenceNumber = 2, Writer = "other" });
            }
        );
        Assert.Equal(3, answer.Int());
        Assert.Equal(
            (AppendStatus.Done, 2L, 2L, ""),
            ((AppendStatus)answer.Int(), answer.Long(), answer.Long(), answer.Text())
        );
        Assert.Equal(
            (AppendStatus.Done, 1L, 3L, ""),
            ((AppendStatus)answer.Int(), answer.Long(), answer.Long(), answer.Text())
        );
        Assert.Equal((AppendStatus.Conflict, 2L, 2L), ((AppendStatus)answer.Int(), answer.Long(), answer.Long()));
        Assert.Contains("another writer", answer.Text(), StringComparison.Ordinal);
        using (var snapshot = _db.OpenSnapshot())
            Assert.Equal(["events/a/0000000000000000001"], snapshot.GetByCollection("Events").Select(d => d.Id));

        answer = await SendAsync(
            "read",
            w =>
            {
                w.Long(1);
                w.Filter(EventFilter.WithTag("red"));
                w.Int(10);
                w.Int(1 << 20);
            }
        );
        using var batch = answer.Batch();
        var read = Assert.Single(batch);
        Assert.Equal(
            (3L, "b", 1L, 7, "m", "w", """{"N":1}"""),
            (
                read.Position,
                read.StreamId,
                read.SequenceNumber,
                read.SerializerId,
                read.Manifest,
                read.Writer,
                Encoding.UTF8.GetString(read.Payload.Span)
            )
        );
        Assert.Equal(["red"], read.Tags);
    }

    [Fact]
    public async Task A_wait_is_answered_by_the_commit()
    {
        var wait = SendAsync(
            "wait",
            w =>
            {
                w.Long(0);
                w.Int(30_000);
            }
        );
        await _db.Events.AppendAsync("a", [new EventData { Payload = "x"u8.ToArray() }]);
        Assert.Equal(1, (await wait).Long());
    }

    [Fact]
    public async Task Snapshots_go_there_and_back()
    {
        var saved = new StreamSnapshot
        {
            SequenceNumber = 4,
            Timestamp = DateTimeOffset.UnixEpoch,
            SerializerId = 1,
            Manifest = "s",
            Payload = "state"u8.ToArray(),
        };
        await SendAsync(
            "snapshots/save",
            w =>
            {
                w.Text("a");
                w.Int(0);
                w.Int(0);
                w.Snapshot(saved);
            }
        );
        var answer = await LoadAsync();
        Assert.Equal(1, answer.Int());
        var loaded = answer.Snapshot();
        Assert.Equal(
            (4L, DateTimeOffset.UnixEpoch, 1, "s", "state"),
            (
                loaded.SequenceNumber,
                loaded.Timestamp,
                loaded.SerializerId,
                loaded.Manifest,
                Encoding.UTF8.GetString(loaded.Payload.Span)
            )
        );
        await SendAsync("snapshots/delete", Named);
        Assert.Equal(0, (await LoadAsync()).Int());

        Task<EventFrameReader> LoadAsync() => SendAsync("snapshots/load", Named);

        static void Named(EventFrameWriter w)
        {
            w.Text("a");
            w.Criteria(StreamSnapshotCriteria.All);
        }
    }

    [Fact]
    public async Task What_is_no_frame_is_refused()
    {
        using var content = new ByteArrayContent([255, 255, 255, 127, 1]);
        foreach (
            var path in new[]
            {
                "append",
                "highest",
                "delete",
                "stream",
                "read",
                "streams",
                "wait",
                "snapshots/save",
                "snapshots/load",
                "snapshots/delete",
            }
        )
        {
            using var answer = await _http.PostAsync(path, content);
            Assert.Equal((path, HttpStatusCode.BadRequest), (path, answer.StatusCode));
        }
    }

    private static void Append(EventFrameWriter w, string stream, string documents, params EventData[] events)
    {
        w.Text(stream);
        w.Text(documents);
        w.Int(events.Length);
        foreach (var data in events)
            w.Event(data);
    }

    private async Task<EventFrameReader> SendAsync(string path, Action<EventFrameWriter> write)
    {
        var frame = new ArrayBufferWriter<byte>();
        write(new EventFrameWriter(frame));
        using var content = new ReadOnlyMemoryContent(frame.WrittenMemory);
        using var answer = await _http.PostAsync(path, content);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return new EventFrameReader(await answer.Content.ReadAsByteArrayAsync());
    }
}
