using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// Writes messages in the structured JSON form of CloudEvents 1.0 (JSON Event Format): the attributes and, as
/// <c>data</c>, the body, on one line.
/// </summary>
/// <remarks>
/// The key becomes the <c>partitionkey</c> extension. Allocates nothing per message. Not thread-safe; use one instance
/// per writer.
/// </remarks>
public sealed class CloudEventJson : IDisposable
{
    /// <summary>Bytes, and characters, of the longest time.</summary>
    public const int MaxTimeLength = 28;

    private static readonly JsonWriterOptions Options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };
    private static readonly JsonEncodedText SpecVersion = JsonEncodedText.Encode("specversion");
    private static readonly JsonEncodedText Version = JsonEncodedText.Encode("1.0");
    private static readonly JsonEncodedText Id = JsonEncodedText.Encode("id");
    private static readonly JsonEncodedText Source = JsonEncodedText.Encode("source");
    private static readonly JsonEncodedText Type = JsonEncodedText.Encode("type");
    private static readonly JsonEncodedText Subject = JsonEncodedText.Encode("subject");
    private static readonly JsonEncodedText Time = JsonEncodedText.Encode("time");
    private static readonly JsonEncodedText ContentType = JsonEncodedText.Encode("datacontenttype");
    private static readonly JsonEncodedText PartitionKey = JsonEncodedText.Encode("partitionkey");
    private static readonly JsonEncodedText TraceParent = JsonEncodedText.Encode("traceparent");
    private static readonly JsonEncodedText DataRef = JsonEncodedText.Encode("dataref");
    private static readonly JsonEncodedText Data = JsonEncodedText.Encode("data");
    private readonly Utf8JsonWriter _writer = new(Stream.Null, Options);

    /// <summary>Writes one message, without a line end.</summary>
    /// <param name="message">The message.</param>
    /// <param name="output">Receives the text, which is complete when the call returns.</param>
    /// <param name="extensions">Further attributes, names in lower-case letters and digits as CloudEvents asks.</param>
    public void Write(
        OutgoingMessage message,
        IBufferWriter<byte> output,
        params ReadOnlySpan<KeyValuePair<JsonEncodedText, string>> extensions
    ) => Write(message, message.Body.Span, output, extensions);

    /// <summary>
    /// Writes one message whose body is stored elsewhere (CloudEvents' claim check: <c>dataref</c> in place of
    /// <c>data</c>).
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="address">Where its body is.</param>
    /// <param name="output">Receives the text.</param>
    public void WriteClaim(OutgoingMessage message, string address, IBufferWriter<byte> output) =>
        Write(message, default, output, new KeyValuePair<JsonEncodedText, string>(DataRef, address));

    private void Write(
        OutgoingMessage message,
        ReadOnlySpan<byte> body,
        IBufferWriter<byte> output,
        params ReadOnlySpan<KeyValuePair<JsonEncodedText, string>> extensions
    )
    {
        Span<byte> time = stackalloc byte[MaxTimeLength];
        _writer.Reset(output);
        _writer.WriteStartObject();
        _writer.WriteString(SpecVersion, Version);
        _writer.WriteString(Id, message.Id);
        _writer.WriteString(Source, message.Source);
        _writer.WriteString(Type, message.Type);
        _writer.WriteString(Subject, message.Subject);
        _writer.WriteString(Time, time[..FormatTime(message.Time, time)]);
        _writer.WriteString(ContentType, message.ContentType);
        if (message.Key is not null)
            _writer.WriteString(PartitionKey, message.Key);
        if (message.TraceParent is not null)
            _writer.WriteString(TraceParent, message.TraceParent);
        foreach ((var name, var value) in extensions)
            _writer.WriteString(name, value);
        if (message.Options is { Headers.Count: > 0 } options)
        {
            foreach ((var name, var value) in options.Headers)
                _writer.WriteString(name, value);
        }

        if (!body.IsEmpty)
        {
            _writer.WritePropertyName(Data);
            WriteData(body);
        }

        _writer.WriteEndObject();
        _writer.Flush();
    }

    /// <summary>
    /// Names of headers that cannot be attributes of a CloudEvent, as faults of a destination's options.
    /// </summary>
    internal static IEnumerable<(string Key, string Message)> FindFaults(DestinationConfiguration destination) =>
        destination
            .Headers.Keys.Where(n =>
                n.Length is 0 or > 20
                || !n.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c))
                || OwnAttributes.Contains(n)
            )
            .Select(n =>
                (
                    "headers",
                    $"'{n}' cannot be an attribute of a CloudEvent: use 1 to 20 lower-case letters and digits, and no name that CloudEvents or Pipeline uses"
                )
            );

    private static readonly string[] OwnAttributes =
    [
        "specversion",
        "id",
        "source",
        "type",
        "subject",
        "time",
        "datacontenttype",
        "partitionkey",
        "traceparent",
        "data",
        "dataref",
        "pipelinetask",
        "pipelineposition",
        "pipelinelineage",
        "pipelinerun",
        "pipelinebeside",
    ];

    /// <summary>A time as CloudEvents writes it (RFC 3339, UTC), without needless digits.</summary>
    public static string FormatTime(DateTimeOffset time)
    {
        Span<byte> utf8 = stackalloc byte[MaxTimeLength];
        return Encoding.ASCII.GetString(utf8[..FormatTime(time, utf8)]);
    }

    /// <summary>As <see cref="FormatTime(DateTimeOffset)"/>, into <see cref="MaxTimeLength"/> bytes.</summary>
    /// <returns>How many bytes were written.</returns>
    public static int FormatTime(DateTimeOffset time, Span<byte> utf8)
    {
        // "O" is the form that .NET writes fastest: seven digits and a Z.
        time.UtcDateTime.TryFormat(utf8, out var length, "O", CultureInfo.InvariantCulture);
        length -= 1;
        while (utf8[length - 1] == (byte)'0')
            length--;
        if (utf8[length - 1] == (byte)'.')
            length--;
        utf8[length++] = (byte)'Z';
        return length;
    }

    /// <inheritdoc/>
    public void Dispose() => _writer.Dispose();

    private void WriteData(ReadOnlySpan<byte> body)
    {
        if (body.IndexOfAny((byte)'\n', (byte)'\r') < 0)
        {
            _writer.WriteRawValue(body, skipInputValidation: true);
            return;
        }

        // Line ends between tokens would break the line. Inside strings JSON allows no raw line ends.
        var reader = new Utf8JsonReader(body);
        using var document = JsonDocument.ParseValue(ref reader);
        document.RootElement.WriteTo(_writer);
    }
}
