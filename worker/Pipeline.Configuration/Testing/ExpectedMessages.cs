using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Compares messages with those that a case expects, by the rules that the settings' help texts give.
/// </summary>
internal static class ExpectedMessages
{
    private static readonly JsonWriterOptions Indented = new()
    {
        Indented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>
    /// The difference in lines, without the parts that are not compared. Empty if the messages match.
    /// </summary>
    public static List<string> Compare(
        IReadOnlyList<TestMessageConfiguration> expected,
        IReadOnlyList<OutgoingMessage> actual
    )
    {
        var wanted = Write(json =>
        {
            foreach (var message in expected)
                WriteExpected(json, message);
        });
        var came = Write(json =>
        {
            for (var i = 0; i < actual.Count; i++)
                WriteActual(json, actual[i], i < expected.Count ? expected[i] : null);
        });
        return LineDiff.Of(wanted.Split('\n'), came.Split('\n'));
    }

    private static string Write(Action<Utf8JsonWriter> write)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream, Indented))
        {
            json.WriteStartArray();
            write(json);
            json.WriteEndArray();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    private static void WriteExpected(Utf8JsonWriter json, TestMessageConfiguration message)
    {
        json.WriteStartObject();
        WriteText(json, "destination", message.Destination);
        WriteText(json, "key", message.Key);
        WriteText(json, "id", message.Id);
        WriteText(json, "type", message.Type);
        WriteText(json, "source", message.Source);
        if (message.Body is { } body)
        {
            using var document = JsonDocument.Parse(body.Json);
            json.WritePropertyName("body");
            document.RootElement.WriteTo(json);
        }

        json.WriteEndObject();
    }

    private static void WriteActual(Utf8JsonWriter json, OutgoingMessage message, TestMessageConfiguration? expected)
    {
        json.WriteStartObject();
        if (expected is null || expected.Destination is not null)
            json.WriteString("destination", message.Destination);
        if (expected?.Key is not null || expected is null && message.Key is not null)
            json.WriteString("key", message.Key ?? "");
        if (expected?.Id is not null)
            json.WriteString("id", message.Id);
        if (expected?.Type is not null)
            json.WriteString("type", message.Type);
        if (expected?.Source is not null)
            json.WriteString("source", message.Source);
        if (expected is null || expected.Body is not null)
        {
            using var actual = JsonDocument.Parse(message.Body.IsEmpty ? "null"u8.ToArray() : message.Body);
            json.WritePropertyName("body");
            if (expected is null)
            {
                actual.RootElement.WriteTo(json);
            }
            else
            {
                using var wanted = JsonDocument.Parse(expected.Body!.Json);
                WriteCompared(json, wanted.RootElement, actual.RootElement, expected.Exact);
            }
        }

        json.WriteEndObject();
    }

    private static void WriteText(Utf8JsonWriter json, string name, string? value)
    {
        if (value is not null)
            json.WriteString(name, value);
    }

    /// <summary>
    /// Writes the actual value with its keys in the expected order. Leaves out unexpected keys unless the match must be
    /// exact.
    /// </summary>
    private static void WriteCompared(Utf8JsonWriter json, JsonElement expected, JsonElement actual, bool exact)
    {
        if (expected.ValueKind == JsonValueKind.Object && actual.ValueKind == JsonValueKind.Object)
        {
            json.WriteStartObject();
            foreach (var property in expected.EnumerateObject())
            {
                var isThere = actual.TryGetProperty(property.Name, out var value);
                if (!isThere && (exact || property.Value.ValueKind != JsonValueKind.Null))
                    continue;
                json.WritePropertyName(property.Name);
                if (isThere)
                    WriteCompared(json, property.Value, value, exact);
                else
                    json.WriteNullValue();
            }

            foreach (
                var property in actual.EnumerateObject().Where(p => exact && !expected.TryGetProperty(p.Name, out _))
            )
            {
                property.WriteTo(json);
            }

            json.WriteEndObject();
        }
        else if (expected.ValueKind == JsonValueKind.Array && actual.ValueKind == JsonValueKind.Array)
        {
            json.WriteStartArray();
            var count = expected.GetArrayLength();
            for (var i = 0; i < actual.GetArrayLength(); i++)
            {
                if (i < count)
                    WriteCompared(json, expected[i], actual[i], exact);
                else
                    actual[i].WriteTo(json);
            }

            json.WriteEndArray();
        }
        else if (IsSameNumber(expected, actual))
        {
            expected.WriteTo(json);
        }
        else
        {
            actual.WriteTo(json);
        }
    }

    private static bool IsSameNumber(JsonElement a, JsonElement b)
    {
        if (a.ValueKind != JsonValueKind.Number || b.ValueKind != JsonValueKind.Number)
            return false;
        if (
            decimal.TryParse(a.GetRawText(), NumberStyles.Float, CultureInfo.InvariantCulture, out var x)
            && decimal.TryParse(b.GetRawText(), NumberStyles.Float, CultureInfo.InvariantCulture, out var y)
        )
        {
            return x == y;
        }

        return a.GetDouble().Equals(b.GetDouble());
    }
}
