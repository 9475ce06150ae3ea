using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Pipeline.Client.Transport;
using Pipeline.Scripting;

namespace Pipeline.Etl.Transforms;

/// <summary>A thread's buffers for writing messages, kept between its runs.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A writer over a buffer in memory holds nothing.")]
internal sealed class TransformBuffers
{
    private const int MaxKeptBytes = 1 << 20;

    [ThreadStatic]
    private static TransformBuffers? _current;

    private ArrayBufferWriter<byte> _body = new();
    private Utf8JsonWriter? _writer;

    /// <summary>The buffers of the calling thread.</summary>
    public static TransformBuffers Current => _current ??= new TransformBuffers();

    /// <summary>The text of a document. The transform may keep it.</summary>
    public static DocumentData Read(in ScriptDocument document)
    {
        var text = new ArrayBufferWriter<byte>(512);
        document.Body.WriteTo(text);
        return DocumentData.Parse(text.WrittenMemory, document.Id);
    }

    /// <summary>Serializes a message. The result is valid until the next call.</summary>
    public ReadOnlySpan<byte> Write<TMessage>(TMessage message, JsonSerializerOptions options)
    {
        if (_body.Capacity > MaxKeptBytes)
            _body = new ArrayBufferWriter<byte>();
        _body.ResetWrittenCount();
        if (_writer is null)
        {
            _writer = new Utf8JsonWriter(
                _body,
                new JsonWriterOptions { Encoder = options.Encoder, SkipValidation = true }
            );
        }
        else
        {
            _writer.Reset(_body);
        }

        JsonSerializer.Serialize(_writer, message, options);
        _writer.Flush();
        return _body.WrittenSpan;
    }
}
