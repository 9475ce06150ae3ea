using System.Buffers;
using System.Text.Json;
using Pipeline.Json;

namespace Pipeline.Documents.Events;

/// <summary>Events as documents that people and queries can read.</summary>
public static class EventDocument
{
    /// <summary>
    /// The document of an event whose payload is a JSON object or array: <c>StreamId</c>, <c>SequenceNumber</c>,
    /// <c>Manifest</c>, <c>Tags</c>, and the payload as <c>Event</c>.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="data">The event.</param>
    /// <param name="collection">The document's collection.</param>
    /// <param name="limits">Depth and size.</param>
    /// <returns>The document; null where the payload is no such JSON, which every payload may be.</returns>
    public static DocumentDraft? TryMake(string streamId, EventData data, string collection, JsonLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(data);
        var payload = data.Payload.Span;
        if (payload.IsEmpty || payload[0] is not ((byte)'{' or (byte)'['))
            return null;
        var text = new ArrayBufferWriter<byte>(payload.Length + 512);
        try
        {
            using (var json = new Utf8JsonWriter(text))
            {
                json.WriteStartObject();
                json.WriteString("StreamId"u8, streamId);
                if (data.SequenceNumber > 0)
                    json.WriteNumber("SequenceNumber"u8, data.SequenceNumber);
                json.WriteString("Manifest"u8, data.Manifest);
                json.WriteStartArray("Tags"u8);
                foreach (var tag in data.Tags)
                    json.WriteStringValue(tag);
                json.WriteEndArray();
                json.WritePropertyName("Event"u8);
                json.WriteRawValue(payload);
                json.WriteStartObject("@metadata"u8);
                json.WriteString("@collection"u8, collection);
                json.WriteEndObject();
                json.WriteEndObject();
            }

            return DocumentDraft.Parse(text.WrittenSpan, limits);
        }
        catch (Exception e) when (e is JsonException or ArgumentException or JsonFormatException)
        {
            // What looks like JSON and is none, or is beyond the limits of documents, is kept as bytes alone.
            return null;
        }
    }
}
