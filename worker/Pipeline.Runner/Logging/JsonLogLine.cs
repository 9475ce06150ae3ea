using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Pipeline.Runner.Logging;

/// <summary>
/// Writes a log event as one line of JSON: time, level, category, event, message, its values, error, and trace.
/// </summary>
internal static class JsonLogLine
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Formats the line.</summary>
    /// <param name="time">When it happened.</param>
    /// <param name="level">The level.</param>
    /// <param name="category">The logger's category.</param>
    /// <param name="eventId">The event's id; omitted if it is 0.</param>
    /// <param name="message">The text.</param>
    /// <param name="values">The values in the text, by name; the template is omitted.</param>
    /// <param name="error">The exception.</param>
    /// <param name="traces">Whether to write the exception's stack trace.</param>
    public static string Of(
        DateTimeOffset time,
        LogLevel level,
        string category,
        EventId eventId,
        string message,
        IReadOnlyList<KeyValuePair<string, object?>>? values,
        Exception? error,
        bool traces
    )
    {
        var buffer = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(buffer, Options))
        {
            json.WriteStartObject();
            json.WriteString(
                "time",
                time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)
            );
            json.WriteString("level", LineLoggerProvider.Word(level));
            json.WriteString("category", category);
            if (eventId.Id != 0)
                json.WriteNumber("eventId", eventId.Id);
            if (eventId.Name is { } name)
                json.WriteString("event", name);
            json.WriteString("message", message);
            if (values is not null)
                Write(json, values);
            if (error is not null)
                Write(json, error, traces);
            if (Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity)
            {
                json.WriteString("traceId", activity.TraceId.ToHexString());
                json.WriteString("spanId", activity.SpanId.ToHexString());
            }
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    private static void Write(Utf8JsonWriter json, IReadOnlyList<KeyValuePair<string, object?>> values)
    {
        var named = values
            .Where(v => v.Key != "{OriginalFormat}")
            .DistinctBy(v => v.Key, StringComparer.Ordinal)
            .ToList();
        if (named.Count == 0)
            return;
        json.WriteStartObject("values");
        foreach (var (name, value) in named)
        {
            switch (value)
            {
                case null:
                    json.WriteNull(name);
                    break;
                case bool flag:
                    json.WriteBoolean(name, flag);
                    break;
                case int number:
                    json.WriteNumber(name, number);
                    break;
                case long number:
                    json.WriteNumber(name, number);
                    break;
                case double number when double.IsFinite(number):
                    json.WriteNumber(name, number);
                    break;
                default:
                    json.WriteString(name, Convert.ToString(value, CultureInfo.InvariantCulture));
                    break;
            }
        }
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, Exception error, bool traces)
    {
        json.WriteStartObject("error");
        json.WriteString("type", error.GetType().FullName);
        json.WriteString("message", error.Message);
        if (traces)
            json.WriteString("trace", error.ToString());
        json.WriteEndObject();
    }
}
