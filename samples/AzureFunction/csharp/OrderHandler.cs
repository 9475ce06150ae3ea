using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace AzureFunction;

/// <summary>Handles each order once. The result is a blob whose name is derived from the event's source and id; it is
/// created only if it does not exist. Independent of the host.</summary>
public sealed class OrderHandler(IBlobs blobs)
{
    /// <summary>Handles one message from the host, a CloudEvent in structured JSON. After an exception the host
    /// retries, and finally moves the message to the poison queue.</summary>
    public async Task<HandledOrder> HandleAsync(string message, CancellationToken cancellationToken)
    {
        using var document = JsonDocument.Parse(message);
        var cloudEvent = document.RootElement;
        if (Text(cloudEvent, "specversion") != "1.0")
            throw new FormatException($"not a CloudEvent 1.0: {message[..Math.Min(message.Length, 100)]}");
        var (source, id) = (Text(cloudEvent, "source"), Text(cloudEvent, "id"));
        var order =
            cloudEvent.TryGetProperty("dataref", out var address)
                ? JsonSerializer.Deserialize<JsonElement>(
                    await blobs.ReadAsync(new Uri(address.GetString()!), cancellationToken)
                )
            : cloudEvent.TryGetProperty("data", out var data) ? data
            : default;
        if (Text(order, "Id") is not { } number || id is null)
            throw new FormatException($"{id}: there is no order in it");

        // The blob's name depends only on the change, so a retry after a crash writes the same blob.
        var name = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{source}\n{id}")))[..40];
        var result = JsonSerializer.Serialize(
            new
            {
                id,
                order = number,
                lines = order.GetProperty("Lines").GetInt32(),
            }
        );
        return new HandledOrder(id, number, await blobs.TryCreateAsync("handled", name, result, cancellationToken));
    }

    private static string? Text(JsonElement parent, string name) =>
        parent.ValueKind == JsonValueKind.Object
        && parent.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;
}
