using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// Event streams as JSON, for people: <c>GET events/streams</c> lists streams, <c>GET events/stream</c> returns the
/// events of one with its newest snapshot. Programs use the POSTs of <see cref="EventEndpoints"/>.
/// </summary>
internal static class EventPageEndpoints
{
    private const int MaxStreams = 1_000;
    private const int MaxEvents = 500;
    private const int MaxBytes = 4 * 1024 * 1024;

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/events/streams", DatabaseAccess.Read, StreamsAsync);
        routes.Add("GET", "/events/stream", DatabaseAccess.Read, StreamAsync);
    }

    private static Task StreamsAsync(DatabaseRequest request)
    {
        var most = (int)Math.Clamp(request.Number("pageSize", MaxStreams), 1, MaxStreams);
        using var snapshot = request.Database.OpenSnapshot("event streams");
        var streams = snapshot.ReadStreams(Math.Max(0, request.Number("after", 0)), most);
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Streams");
                foreach (var stream in streams)
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("Number", stream.Number);
                    answer.Json.WriteString("Id", stream.StreamId);
                    answer.Json.WriteNumber("Highest", snapshot.GetHighestSequence(stream.StreamId));
                    answer.Json.WriteEndObject();
                }
                answer.Json.WriteEndArray();
                answer.Json.WriteBoolean("HasMore", streams.Count == most);
                answer.Json.WriteEndObject();
            }
        );
    }

    private static Task StreamAsync(DatabaseRequest request)
    {
        var id = request.Required("id");
        using var snapshot = request.Database.OpenSnapshot("event stream");
        var highest = snapshot.GetHighestSequence(id);
        var limits = new ChangeLimits((int)Math.Clamp(request.Number("pageSize", MaxEvents), 1, MaxEvents), MaxBytes);
        using var batch = request.Flag("newest")
            ? snapshot.ReadStreamBackwards(id, request.Number("before", long.MaxValue), limits)
            : snapshot.ReadStream(id, Math.Max(1, request.Number("from", 1)), limits: limits);
        var (last, problem) = SnapshotOf(snapshot, id);
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                var json = answer.Json;
                json.WriteStartObject();
                json.WriteString("Id", id);
                json.WriteNumber("Highest", highest);
                json.WriteStartArray("Events");
                foreach (var one in batch)
                {
                    json.WriteStartObject();
                    json.WriteNumber("SequenceNumber", one.SequenceNumber);
                    json.WriteNumber("Position", one.Position);
                    json.WriteString("Timestamp", JsonAnswer.Time(one.Timestamp));
                    json.WriteNumber("SerializerId", one.SerializerId);
                    json.WriteString("Manifest", one.Manifest);
                    json.WriteString("Writer", one.Writer);
                    json.WriteStartArray("Tags");
                    foreach (var tag in one.Tags)
                        json.WriteStringValue(tag);
                    json.WriteEndArray();
                    json.WriteBoolean("IsKeyDestroyed", one.IsKeyDestroyed);
                    WritePayload(json, one.Payload);
                    json.WriteEndObject();
                }
                json.WriteEndArray();
                json.WriteBoolean("HasMore", batch.HasMore);
                json.WriteNumber("Through", batch.Through);
                if (last is null)
                {
                    json.WriteNull("Snapshot");
                }
                else
                {
                    json.WriteStartObject("Snapshot");
                    json.WriteNumber("SequenceNumber", last.SequenceNumber);
                    json.WriteString("Timestamp", JsonAnswer.Time(last.Timestamp));
                    json.WriteNumber("SerializerId", last.SerializerId);
                    json.WriteString("Manifest", last.Manifest);
                    WritePayload(json, last.Payload);
                    json.WriteEndObject();
                }
                json.WriteString("SnapshotProblem", problem);
                json.WriteEndObject();
            }
        );
    }

    private static (StreamSnapshot? Snapshot, string? Problem) SnapshotOf(DatabaseSnapshot snapshot, string id)
    {
        try
        {
            return (snapshot.LoadSnapshot(id, StreamSnapshotCriteria.All), null);
        }
        catch (StreamKeyDestroyedException e)
        {
            return (null, e.Message);
        }
    }

    /// <summary>JSON as it was stored; anything else in base 64.</summary>
    private static void WritePayload(Utf8JsonWriter json, ReadOnlyMemory<byte> payload)
    {
        json.WriteNumber("Bytes", payload.Length);
        if (IsJson(payload.Span))
        {
            json.WritePropertyName("Json");
            json.WriteRawValue(payload.Span, skipInputValidation: true);
        }
        else
        {
            json.WriteBase64String("Base64", payload.Span);
        }
    }

    private static bool IsJson(ReadOnlySpan<byte> payload)
    {
        if (payload.IsEmpty || payload[0] is not ((byte)'{' or (byte)'['))
            return false;
        var reader = new Utf8JsonReader(payload);
        try
        {
            while (reader.Read()) { }
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
