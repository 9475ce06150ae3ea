using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Protocol;

/// <summary>Reads request bodies.</summary>
internal static class RequestBody
{
    private const int PartBytes = 16 << 10;

    // A value takes the parser's row (twice while the table grows), a short text, and entries in a list and a set.
    private const int ValueBytes = 128;

    /// <summary>The whole body.</summary>
    /// <exception cref="RequestMemoryException">The body exceeds the memory limit.</exception>
    public static async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContext context, RequestMemory? memory = null)
    {
        var length = context.Request.ContentLength;
        using var body = new MemoryStream(length is > 0 and < 1 << 24 ? (int)length : 0);
        memory?.Hold(body.Capacity);
        var part = ArrayPool<byte>.Shared.Rent(PartBytes);
        try
        {
            for (int read; (read = await context.Request.Body.ReadAsync(part, context.RequestAborted).ConfigureAwait(false)) > 0;)
            {
                if (body.Length + read > body.Capacity)
                    memory?.Hold(Math.Max(read, body.Capacity));
                body.Write(part, 0, read);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(part);
        }
        return body.GetBuffer().AsMemory(0, (int)body.Length);
    }

    /// <summary>About how many bytes the values of a JSON text hold once they are parsed: two bytes of text can become a value.</summary>
    public static long ParsedBytes(ReadOnlySpan<byte> json) => ValueBytes * ((long)json.Count((byte)',') + json.Count((byte)'[') + json.Count((byte)'{'));

    /// <summary>The list property of a body's object.</summary>
    /// <exception cref="BadRequestException">The body has no such list.</exception>
    public static JsonElement List(JsonDocument body, string name) =>
        body.RootElement.ValueKind == JsonValueKind.Object && body.RootElement.TryGetProperty(name, out var list) && list.ValueKind == JsonValueKind.Array
            ? list
            : throw new BadRequestException($"the body must be an object with a list '{name}'");
}
