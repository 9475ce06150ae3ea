using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;

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
        // One byte more than the length says, so that the end shows without another array.
        var body = new byte[
            context.Request.ContentLength is > 0 and < 1 << 24 and var length ? (int)length + 1 : PartBytes
        ];
        memory?.Hold(body.Length);
        var filled = 0;
        for (
            int read;
            (
                read = await context
                    .Request.Body.ReadAsync(body.AsMemory(filled), context.RequestAborted)
                    .ConfigureAwait(false)
            ) > 0;

        )
        {
            filled += read;
            if (filled < body.Length)
                continue;
            memory?.Hold(body.Length);
            Array.Resize(ref body, (int)Math.Min(2L * body.Length, Array.MaxLength));
        }
        return body.AsMemory(0, filled);
    }

    /// <summary>
    /// Reads a refused body to its end. A client over HTTP/1.1 reads the answer once it has sent all. If it still sent
    /// some seconds after the answer, the connection would be reset, and the answer lost.
    /// </summary>
    public static async Task SkipAsync(HttpContext context)
    {
        try
        {
            await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The client has disconnected, or the request's time is up: the answer is the refusal.
        }
    }

    /// <summary>
    /// About how many bytes the values of a JSON text hold once they are parsed: two bytes of text can become a value.
    /// </summary>
    public static long ParsedBytes(ReadOnlySpan<byte> json) =>
        ValueBytes * ((long)json.Count((byte)',') + json.Count((byte)'[') + json.Count((byte)'{'));

    /// <summary>The list property of a body's object.</summary>
    /// <exception cref="BadRequestException">The body has no such list.</exception>
    public static JsonElement List(JsonDocument body, string name) =>
        body.RootElement.ValueKind == JsonValueKind.Object
        && body.RootElement.TryGetProperty(name, out var list)
        && list.ValueKind == JsonValueKind.Array
            ? list
            : throw new BadRequestException($"the body must be an object with a list '{name}'");
}
