using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using System.Text.Unicode;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Subscriptions;

/// <summary>Reads consecutive JSON objects, which have no length prefix. Used by one caller at a time.</summary>
internal sealed class TcpMessageReader(PipeReader input)
{
    /// <summary>The most bytes of an object; clients send names, numbers and change vectors.</summary>
    public const int MaxBytes = 32 << 10;

    /// <summary>Reads the next object; null if the other side has ended.</summary>
    /// <exception cref="BadRequestException">The message is not an object, is too large, or is incomplete.</exception>
    public async ValueTask<JsonDocument?> ReadAsync(CancellationToken ct)
    {
        while (true)
        {
            var read = await input.ReadAsync(ct).ConfigureAwait(false);
            var rest = SkipSpace(read.Buffer);
            if (TryRead(ref rest, out var message))
            {
                input.AdvanceTo(rest.Start);
                return message;
            }
            if (rest.Length > MaxBytes)
                throw new BadRequestException($"a message has more than {MaxBytes} bytes");
            if (read.IsCompleted)
                return rest.IsEmpty ? null : throw new BadRequestException("a message ends in the middle");
            input.AdvanceTo(rest.Start, read.Buffer.End);
        }
    }

    private static bool TryRead(ref ReadOnlySequence<byte> rest, out JsonDocument? message)
    {
        message = null;
        if (rest.IsEmpty)
            return false;
        if (rest.FirstSpan[0] != '{')
            throw new BadRequestException("a message must be a JSON object");
        try
        {
            var reader = new Utf8JsonReader(
                rest.Length > MaxBytes ? rest.Slice(0, MaxBytes) : rest,
                isFinalBlock: false,
                default
            );
            if (!reader.Read() || !reader.TrySkip())
                return false;
            var text = rest.Slice(0, reader.BytesConsumed).ToArray();
            if (!Utf8.IsValid(text))
                throw new BadRequestException("a message is no UTF-8");
            message = JsonDocument.Parse(text);
            rest = rest.Slice(reader.BytesConsumed);
            return true;
        }
        catch (JsonException e)
        {
            throw new BadRequestException($"a message is not JSON: {e.Message}");
        }
    }

    private static ReadOnlySequence<byte> SkipSpace(ReadOnlySequence<byte> text)
    {
        while (!text.IsEmpty)
        {
            var span = text.FirstSpan;
            var at = span.IndexOfAnyExcept(" \t\r\n"u8);
            if (at >= 0)
                return text.Slice(at);
            text = text.Slice(span.Length);
        }
        return text;
    }
}
