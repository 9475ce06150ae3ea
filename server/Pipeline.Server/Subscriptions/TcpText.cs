using System.Text.Json;

namespace Pipeline.Server.Subscriptions;

/// <summary>Reads properties of messages.</summary>
internal static class TcpText
{
    /// <summary>A text that is not empty; null where there is none.</summary>
    public static string? Of(JsonElement message, string name) =>
        message.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 } text ? text : null;
}
