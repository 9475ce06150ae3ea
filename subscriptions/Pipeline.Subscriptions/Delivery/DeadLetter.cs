using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>The document that says what was parked, why, and where it came from. One for a subscription and position, so repeating it changes nothing.</summary>
public static class DeadLetter
{
    /// <summary>The collection of dead letters, of tasks as of subscriptions.</summary>
    public const string Collection = "DeadLetters";

    internal static string IdOf(string subscription, long position) => string.Create(CultureInfo.InvariantCulture, $"deadletters/{subscription}/{position}");

    internal static byte[] Write(string subscription, in Change change, string kind, string reason, int attempts, DateTimeOffset now)
    {
        var body = new ArrayBufferWriter<byte>();
        change.Body.WriteTo(body);
        var buffer = new ArrayBufferWriter<byte>(body.WrittenCount + 512);
        using var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });
        json.WriteStartObject();
        json.WriteString("Subscription", subscription);
        json.WriteString("Kind", kind);
        json.WriteString("DocumentId", change.Id);
        json.WriteString("DocumentCollection", change.Collection);
        json.WriteNumber("Position", change.Position);
        json.WriteNumber("Attempts", attempts);
        json.WriteString("Time", now.UtcDateTime);
        json.WriteStartObject("Error");
        json.WriteString("Message", reason);
        json.WriteEndObject();
        json.WritePropertyName("Document");
        if (body.WrittenCount == 0) json.WriteNullValue();
        else json.WriteRawValue(body.WrittenSpan, skipInputValidation: true);
        json.WriteStartObject("@metadata");
        json.WriteString("@id", IdOf(subscription, change.Position));
        json.WriteString("@collection", Collection);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }
}
