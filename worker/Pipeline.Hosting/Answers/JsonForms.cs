using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pipeline.Hosting;

/// <summary>JSON formats for people and programs.</summary>
internal static class JsonForms
{
    /// <summary>Indented, camelCase, with letters of all languages unescaped.</summary>
    public static readonly JsonSerializerOptions Indented = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>Same as <see cref="Indented"/>, on one line and without null properties.</summary>
    public static readonly JsonSerializerOptions Line = new(Indented)
    {
        WriteIndented = false,
        DefaultIgnoreCondition = System.Text.Json.Serialization.JsonIgnoreCondition.WhenWritingNull,
    };
}
