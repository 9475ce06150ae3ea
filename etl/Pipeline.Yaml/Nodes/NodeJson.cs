using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pipeline.Yaml.Nodes;

/// <summary>
/// YAML nodes as JSON: a plain <c>null</c>, <c>true</c>, <c>false</c> or JSON number is that, with its own digits;
/// every other scalar is text.
/// </summary>
internal static class NodeJson
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>The node as UTF-8 JSON. Nothing is put in for variables.</summary>
    public static byte[] Write(ConfigNode node)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, Options))
            Write(node, json);
        return buffer.WrittenSpan.ToArray();
    }

    private static void Write(ConfigNode node, Utf8JsonWriter json)
    {
        switch (node)
        {
            case MappingNode mapping:
                json.WriteStartObject();
                foreach ((var key, var value) in mapping.Entries)
                {
                    json.WritePropertyName(key.Raw);
                    Write(value, json);
                }

                json.WriteEndObject();
                break;
            case SequenceNode sequence:
                json.WriteStartArray();
                foreach (var item in sequence.Items)
                    Write(item, json);
                json.WriteEndArray();
                break;
            default:
                Write((ScalarNode)node, json);
                break;
        }
    }

    private static void Write(ScalarNode scalar, Utf8JsonWriter json)
    {
        if (scalar.IsNull)
            json.WriteNullValue();
        else if (!scalar.IsPlain)
            json.WriteStringValue(scalar.Raw);
        else if (scalar.Raw is "true" or "false")
            json.WriteBooleanValue(scalar.Raw == "true");
        else if (IsNumber(scalar.Raw))
            json.WriteRawValue(scalar.Raw);
        else
            json.WriteStringValue(scalar.Raw);
    }

    private static bool IsNumber(string text)
    {
        if (text.Length == 0 || !(text[0] == '-' || char.IsAsciiDigit(text[0])))
            return false;
        var reader = new Utf8JsonReader(System.Text.Encoding.UTF8.GetBytes(text));
        try
        {
            return reader.Read()
                && reader.TokenType == JsonTokenType.Number
                && reader.BytesConsumed == text.Length
                && !reader.Read();
        }
        catch (JsonException)
        {
            // Such as 1.2.3 or 2026-11-21: text.
            return false;
        }
    }
}
