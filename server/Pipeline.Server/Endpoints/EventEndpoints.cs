using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>events/…</c>: the event streams for programs on other machines, in the frames of <see cref="EventFrameWriter"/>.
/// Not part of RavenDB's protocol. Each endpoint is a POST that answers with a frame; its errors have the form of the
/// other endpoints.
/// </summary>
internal static class EventEndpoints
{
    private const int MaxCount = 16_384;
    private const int MaxBytes = 16 * 1024 * 1024;
    private const int DeleteBatch = 2_000;
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(60);

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("POST", "/events/append", DatabaseAccess.ReadWrite, AppendAsync);
        routes.Add("POST", "/events/highest", DatabaseAccess.Read, HighestAsync);
        routes.Add("POST", "/events/delete", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("POST", "/events/stream", DatabaseAccess.Read, ReadStreamAsync);
        routes.Add("POST", "/events/read", DatabaseAccess.Read, ReadAsync);
        routes.Add("POST", "/events/streams", DatabaseAccess.Read, ReadStreamsAsync);
        routes.Add("POST", "/events/wait", DatabaseAccess.Read, WaitAsync);
        routes.Add("POST", "/events/snapshots/save", DatabaseAccess.ReadWrite, SaveSnapshotAsync);
        routes.Add("POST", "/events/snapshots/load", DatabaseAccess.Read, LoadSnapshotAsync);
        routes.Add("POST", "/events/snapshots/delete", DatabaseAccess.ReadWrite, DeleteSnapshotsAsync);
    }

    /// <summary>Appends to many streams independently; the appends share a commit if possible.</summary>
    private static async Task AppendAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        var store = request.Database.Events;
        List<(string Stream, string Documents, List<EventData> Events)> wanted = Parse(() =>
        {
            var all = new List<(string, string, List<EventData>)>();
            for (var count = frame.Count(); count > 0; count--)
            {
                (var stream, var documents, var events) = (frame.Text(), frame.Text(), new List<EventData>());
                for (var n = frame.Count(); n > 0; n--)
                    events.Add(frame.Event());
                all.Add((stream, documents, events));
            }

            return all;
        });
        var appends = wanted.ConvertAll(w =>
            store.AppendAsync(
                w.Stream,
                w.Documents.Length == 0 ? w.Events : store.WithDocuments(w.Stream, w.Events, w.Documents),
                ct: CancellationToken.None
            )
        );
        var answer = new HeldBuffer(request.Memory);
        var writer = new EventFrameWriter(answer);
        writer.Int(appends.Count);
        foreach (var append in appends)
        {
            try
            {
                var result = await append.ConfigureAwait(false);
                Write(writer, AppendStatus.Done, result.LastSequenceNumber, result.LastPosition, "");
            }
            catch (EventConflictException e)
            {
                Write(writer, AppendStatus.Conflict, e.SequenceNumber, e.Highest, e.Message);
            }
            catch (StreamKeyDestroyedException e)
            {
                Write(writer, AppendStatus.KeyDestroyed, 0, 0, e.Message);
            }
            catch (InvalidEventException e)
            {
                Write(writer, AppendStatus.Invalid, 0, 0, e.Message);
            }
#pragma warning disable CA1031 // The client gets the error for this append only.
            catch (Exception e)
#pragma warning restore CA1031
            {
                Write(writer, AppendStatus.Failed, 0, 0, e.Message);
            }
        }

        await AnswerAsync(request, answer).ConfigureAwait(false);
    }

    private static async Task HighestAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        var highest = await request
            .Database.Events.GetHighestSequenceAsync(Parse(() => frame.Text()), request.Aborted)
            .ConfigureAwait(false);
        await AnswerAsync(request, w => w.Long(highest)).ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var stream, var through) = Parse(() => (frame.Text(), frame.Long()));
        var deleted = await request.Database.Events.DeleteAsync(stream, through, request.Aborted).ConfigureAwait(false);
        await AnswerAsync(request, w => w.Long(deleted)).ConfigureAwait(false);
    }

    private static async Task ReadStreamAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var stream, var from, var to, var limits) = Parse(() =>
            (frame.Text(), frame.Long(), frame.Long(), Limits(ref frame))
        );
        using var batch = request.Database.Events.ReadStream(stream, from, to, limits);
        await AnswerAsync(request, w => w.Batch(batch)).ConfigureAwait(false);
    }

    private static async Task ReadAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var after, var filter, var limits) = Parse(() =>
            (Math.Max(0, frame.Long()), frame.Filter(), Limits(ref frame))
        );
        using var batch = request.Database.Events.Read(after, filter, limits);
        await AnswerAsync(request, w => w.Batch(batch)).ConfigureAwait(false);
    }

    private static async Task ReadStreamsAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var after, var most) = Parse(() => (frame.Long(), Math.Clamp(frame.Int(), 1, MaxCount)));
        var streams = request.Database.Events.ReadStreams(after, most);
        await AnswerAsync(
                request,
                w =>
                {
                    w.Int(streams.Count);
                    foreach (var stream in streams)
                    {
                        w.Long(stream.Number);
                        w.Text(stream.StreamId);
                    }
                }
            )
            .ConfigureAwait(false);
    }

    /// <summary>Answers with the last position once it exceeds the given one or the time is over.</summary>
    private static async Task WaitAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var after, var most) = Parse(() =>
            (frame.Long(), TimeSpan.FromMilliseconds(Math.Clamp(frame.Int(), 0, LongestWait.TotalMilliseconds)))
        );
        if (request.Database.LastPosition <= after && most > TimeSpan.Zero)
        {
            using var deadline = CancellationTokenSource.CreateLinkedTokenSource(request.Aborted);
            deadline.CancelAfter(most);
            try
            {
                await request.Database.WaitForChangeAsync(after, deadline.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (!request.Aborted.IsCancellationRequested)
            {
                // The time is over: the client asks again.
            }
        }

        var last = request.Database.LastPosition;
        await AnswerAsync(request, w => w.Long(last)).ConfigureAwait(false);
    }

    private static async Task SaveSnapshotAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var stream, var keep, var deleteEvents, var snapshot) = Parse(() =>
            (frame.Text(), frame.Int(), frame.Int() != 0, frame.Snapshot())
        );
        var retention = keep > 0 ? new SnapshotRetention { Keep = keep, DeleteEvents = deleteEvents } : null;
        await request
            .Database.WriteAsync(t => t.SaveSnapshot(stream, snapshot, retention), request.Aborted)
            .ConfigureAwait(false);
        await AnswerAsync(request, _ => { }).ConfigureAwait(false);
    }

    private static async Task LoadSnapshotAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var stream, var criteria) = Parse(() => (frame.Text(), frame.Criteria()));
        StreamSnapshot? found;
        using (var snapshot = request.Database.OpenSnapshot("actor's snapshot"))
            found = snapshot.LoadSnapshot(stream, criteria);
        await AnswerAsync(
                request,
                w =>
                {
                    w.Int(found is null ? 0 : 1);
                    if (found is not null)
                        w.Snapshot(found);
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task DeleteSnapshotsAsync(DatabaseRequest request)
    {
        var frame = await ReadFrameAsync(request).ConfigureAwait(false);
        (var stream, var criteria) = Parse(() => (frame.Text(), frame.Criteria()));
        long deleted = 0;
        while (true)
        {
            var some = await request
                .Database.WriteAsync(t => t.DeleteSnapshots(stream, criteria, DeleteBatch), request.Aborted)
                .ConfigureAwait(false);
            deleted += some;
            if (some < DeleteBatch)
                break;
        }

        await AnswerAsync(request, w => w.Long(deleted)).ConfigureAwait(false);
    }

    private static ChangeLimits Limits(ref EventFrameReader frame) =>
        new(Math.Clamp(frame.Int(), 1, MaxCount), Math.Clamp(frame.Int(), 1, MaxBytes));

    private static void Write(EventFrameWriter writer, AppendStatus status, long first, long second, string message)
    {
        writer.Int((int)status);
        writer.Long(first);
        writer.Long(second);
        writer.Text(message);
    }

    private static T Parse<T>(Func<T> parse)
    {
        try
        {
            return parse();
        }
        catch (FormatException e)
        {
            throw new BadRequestException($"the body is not a frame of events: {e.Message}");
        }
    }

    private static async Task<EventFrameReader> ReadFrameAsync(DatabaseRequest request) =>
        new(await request.ReadBodyAsync().ConfigureAwait(false));

    private static Task AnswerAsync(DatabaseRequest request, Action<EventFrameWriter> write)
    {
        var answer = new HeldBuffer(request.Memory);
        write(new EventFrameWriter(answer));
        return AnswerAsync(request, answer);
    }

    private static async Task AnswerAsync(DatabaseRequest request, HeldBuffer answer)
    {
        var response = request.Context.Response;
        response.StatusCode = StatusCodes.Status200OK;
        response.ContentType = "application/octet-stream";
        response.ContentLength = answer.WrittenCount;
        await response.Body.WriteAsync(answer.WrittenMemory, request.Aborted).ConfigureAwait(false);
    }
}
