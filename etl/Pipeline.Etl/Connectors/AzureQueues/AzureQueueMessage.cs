using System.Buffers;
using System.Buffers.Text;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>
/// Writes the text of messages as CloudEvents JSON and computes its size after Azure's library has encoded it. Not
/// thread-safe.
/// </summary>
internal sealed class AzureQueueMessage(AzureQueueEncoding encoding) : IDisposable
{
    /// <summary>The service's limit on the encoded text of a message, in bytes.</summary>
    internal const int MaxBytes = 65_536;

    private readonly CloudEventJson _json = new();
    private readonly ArrayBufferWriter<byte> _event = new(4_096);

    /// <summary>Why the service will never take the message, or null.</summary>
    /// <param name="message">The message.</param>
    /// <param name="claim">
    /// The address of the body's blob if the message is too large, or <see langword="null"/> if the body must stay in
    /// the message.
    /// </param>
    internal string? FindFault(OutgoingMessage message, string? claim = null)
    {
        if (encoding == AzureQueueEncoding.Base64 && Fits(message))
            return null;
        var size = Size(message);
        var without = "";
        if (size > MaxBytes && claim is not null)
        {
            WriteClaim(message, claim);
            (size, without) = (EncodedSize, " without its body");
        }

        if (size > MaxBytes)
        {
            return encoding == AzureQueueEncoding.Base64
                ? $"the message has {size} bytes{without} as Base64 ({_event.WrittenCount} as JSON), Azure Queue Storage takes {MaxBytes}"
                : $"the message has {size} bytes{without}, Azure Queue Storage takes {MaxBytes}";
        }

        return encoding == AzureQueueEncoding.None && HasNonCharacter(_event.WrittenSpan)
            ? "the message holds U+FFFE or U+FFFF, which XML, and so Azure Queue Storage without Base64, cannot carry"
            : null;
    }

    /// <summary>Whether the message has more bytes than the service takes.</summary>
    internal bool IsOversize(OutgoingMessage message) => !Fits(message) && Size(message) > MaxBytes;

    /// <summary>The message's text before it is encoded; valid until the next call.</summary>
    /// <param name="message">The message.</param>
    /// <param name="claim">The address of its body, or <see langword="null"/> if the text contains the body.</param>
    internal ReadOnlyMemory<byte> Text(OutgoingMessage message, string? claim = null)
    {
        if (claim is null)
            Write(message);
        else
            WriteClaim(message, claim);
        return _event.WrittenMemory;
    }

    /// <inheritdoc/>
    public void Dispose() => _json.Dispose();

    /// <summary>Whether the lengths alone show that it is small enough.</summary>
    private bool Fits(OutgoingMessage message)
    {
        // No escape of an attribute is longer than six bytes a character; the rest of the event has fewer than 200.
        var attributes =
            message.Id.Length
            + message.Source.Length
            + message.Type.Length
            + message.Subject.Length
            + message.ContentType.Length
            + (message.Key?.Length ?? 0)
            + (message.TraceParent?.Length ?? 0);
        if (message.Options is { Headers.Count: > 0 } options)
        {
            foreach (var (name, value) in options.Headers)
                attributes += name.Length + value.Length + 6;
        }

        var length = 200 + (6 * attributes) + message.Body.Length;
        return length <= MaxBytes
            && (encoding == AzureQueueEncoding.None || Base64.GetMaxEncodedToUtf8Length(length) <= MaxBytes);
    }

    private static bool HasNonCharacter(ReadOnlySpan<byte> utf8) =>
        utf8.IndexOf("\uFFFE"u8) >= 0 || utf8.IndexOf("\uFFFF"u8) >= 0;

    private void WriteClaim(OutgoingMessage message, string claim)
    {
        _event.ResetWrittenCount();
        _json.WriteClaim(message, claim, _event);
    }

    private int Size(OutgoingMessage message)
    {
        Write(message);
        return EncodedSize;
    }

    private int EncodedSize =>
        encoding == AzureQueueEncoding.Base64
            ? Base64.GetMaxEncodedToUtf8Length(_event.WrittenCount)
            : _event.WrittenCount;

    private void Write(OutgoingMessage message)
    {
        _event.ResetWrittenCount();
        _json.Write(message, _event);
    }
}
