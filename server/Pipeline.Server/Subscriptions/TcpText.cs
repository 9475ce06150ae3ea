using System.Text.Json;

namespace Pipeline.Server.Subscriptions;

/// <summary>Reads text properties of messages.</summary>
internal static class TcpText
{
    /// <summary>A non-empty text; null if there is none.</summary>
    public static string? Of(JsonElement message, string name) =>
        message.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
        && value.GetString() is { Length: > 0 } text
            ? text
            : null;
}
