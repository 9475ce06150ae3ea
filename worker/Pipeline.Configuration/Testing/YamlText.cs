using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pipeline.Configuration.Testing;

/// <summary>Writes JSON values as YAML that a person would write: block style, quotes only where needed.</summary>
internal static class YamlText
{
    private static readonly JsonSerializerOptions Quoted = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };
    private static readonly string[] Words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

    /// <summary>
    /// Appends <c>key: value</c> and a line end; a mapping or list follows on the lines below, two spaces deeper.
    /// </summary>
    public static void Append(StringBuilder text, int indent, string key, JsonElement value)
    {
        text.Append(' ', indent).Append(Scalar(key)).Append(':');
        Value(text, indent, value);
    }

    /// <summary>Appends <c>key: text</c> and a line end, for a key in whose value variables are expanded.</summary>
    public static void Append(StringBuilder text, int indent, string key, string value) =>
        text.Append(' ', indent).Append(key).Append(": ").Append(Expanded(value)).Append('\n');

    /// <summary>
    /// A text as one scalar in which variables are expanded. It is escaped, so that expansion gives this text again.
    /// </summary>
    public static string Expanded(string text) => Scalar(text.Replace("${", "$${", StringComparison.Ordinal));

    /// <summary>A text as one scalar in which no variables are expanded.</summary>
    private static string Scalar(string text) => IsPlain(text) ? text : JsonSerializer.Serialize(text, Quoted);

    private static void Value(StringBuilder text, int indent, JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Object && value.EnumerateObject().Any())
        {
            text.Append('\n');
            foreach (var property in value.EnumerateObject())
                Append(text, indent + 2, property.Name, property.Value);
        }
        else if (value.ValueKind == JsonValueKind.Array && value.GetArrayLength() > 0)
        {
            text.Append('\n');
            foreach (var item in value.EnumerateArray())
                Item(text, indent + 2, item);
        }
        else
        {
            text.Append(' ').Append(Simple(value)).Append('\n');
        }
    }

    private static void Item(StringBuilder text, int indent, JsonElement item)
    {
        if (item.ValueKind == JsonValueKind.Object && item.EnumerateObject().Any())
        {
            var isFirst = true;
            foreach (var property in item.EnumerateObject())
            {
                var start = text.Length;
                Append(text, indent + 2, property.Name, property.Value);
                if (isFirst)
                    text[start + indent] = '-';
                isFirst = false;
            }
        }
        else if (item.ValueKind == JsonValueKind.Array && item.GetArrayLength() > 0)
        {
            // A list within a list is rare and short.
            text.Append(' ', indent).Append("- ").Append(JsonSerializer.Serialize(item, Quoted)).Append('\n');
        }
        else
        {
            text.Append(' ', indent).Append("- ").Append(Simple(item)).Append('\n');
        }
    }

    private static string Simple(JsonElement value) =>
        value.ValueKind == JsonValueKind.String ? Scalar(value.GetString()!) : value.GetRawText();

    private static bool IsPlain(string text) =>
        text.Length is > 0 and < 200
        && char.IsAsciiLetter(text[0])
        && text[^1] != ' '
        && !Words.Contains(text, StringComparer.OrdinalIgnoreCase)
        && text.All(c => char.IsAsciiLetterOrDigit(c) || c is ' ' or '_' or '-' or '/' or '.');
}
