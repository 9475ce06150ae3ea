using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pipeline.Worker.Terminal;

/// <summary>How JSON is written for people and programs.</summary>
internal static class Json
{
    /// <summary>Indented, camelCase, letters of all languages as they are.</summary>
    public static readonly JsonSerializerOptions Indented = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>As <see cref="Indented"/>, in one line and without what is null.</summary>
    public static readonly JsonSerializerOptions Line = new(Indented) { WriteIndented = false, DefaultIgnoreCondition = System.Text.Json.Serialization.JsonIgnoreCondition.WhenWritingNull };
}
