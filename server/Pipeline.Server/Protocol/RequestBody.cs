using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Protocol;

/// <summary>Reads bodies of requests.</summary>
internal static class RequestBody
{
    /// <summary>The whole body.</summary>
    public static async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContext context)
    {
        var length = context.Request.ContentLength;
        using var body = new MemoryStream(length is > 0 and < 1 << 24 ? (int)length : 0);
        await context.Request.Body.CopyToAsync(body, context.RequestAborted).ConfigureAwait(false);
        return body.GetBuffer().AsMemory(0, (int)body.Length);
    }

    /// <summary>The list that a body's object has under a name.</summary>
    /// <exception cref="BadRequestException">It has none.</exception>
    public static JsonElement List(JsonDocument body, string name) =>
        body.RootElement.ValueKind == JsonValueKind.Object && body.RootElement.TryGetProperty(name, out var list) && list.ValueKind == JsonValueKind.Array
            ? list
            : throw new BadRequestException($"the body must be an object with a list '{name}'");
}
