using System.Text;
using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// Writes the CloudEvents attributes of messages as Kafka headers, into one list that is reused for each message. Not
/// thread-safe.
/// </summary>
/// <remarks>CloudEvents 1.0, Kafka protocol binding, binary content mode: <c>ce_</c> before each attribute's name,
/// UTF-8 values, and the data's content type in <c>content-type</c>.</remarks>
internal sealed class KafkaHeaders
{
    private const int MaxCached = 1_000;
    private const int TraceBytes = 80;

    private readonly CloudEventAttributes _attributes;
    private readonly int _own;

    private readonly Header _id = new("ce_id");
    private readonly Header _source = new("ce_source");
    private readonly Header _type = new("ce_type");
    private readonly Header _subject = new("ce_subject");
    private readonly Header _time = new("ce_time");
    private readonly Header _contentType = new("content-type");

    // Few different sources and types occur, so their bytes are cached. Ids and subjects are not.
    private readonly ExactBytes _ids = new();
    private readonly ExactBytes _subjects = new();
    private readonly ExactBytes _times = new();
    private readonly Dictionary<string, byte[]> _cache = new(StringComparer.Ordinal);
    private DateTimeOffset _lastTime = DateTimeOffset.MinValue;

    internal KafkaHeaders(CloudEventAttributes attributes)
    {
        _attributes = attributes;
        List = attributes switch
        {
            CloudEventAttributes.All =>
            [
                _id,
                _source,
                _type,
                new Header("ce_specversion") { Value = "1.0"u8.ToArray() },
                _subject,
                _time,
                _contentType,
            ],
            CloudEventAttributes.Required =>
            [
                _id,
                _source,
                _type,
                new Header("ce_specversion") { Value = "1.0"u8.ToArray() },
            ],
            _ => [],
        };
        _own = List.Count;
    }

    /// <summary>The headers of the message last given to <see cref="Set"/>.</summary>
    internal Headers List { get; }

    /// <summary>Their names, in order.</summary>
    internal IEnumerable<string> Names => List.Select(h => h.Key);

    /// <summary>An upper bound for the bytes of a message's header names and values.</summary>
    internal int MaxBytes(OutgoingMessage message) =>
        MoreBytes(message)
        + _attributes switch
        {
            CloudEventAttributes.All => 128
                + (
                    3
                    * (
                        message.Id.Length
                        + message.Source.Length
                        + message.Type.Length
                        + message.Subject.Length
                        + message.ContentType.Length
                    )
                ),
            CloudEventAttributes.Required => 64
                + (3 * (message.Id.Length + message.Source.Length + message.Type.Length)),
            _ => 0,
        };

    /// <summary>The exact number of bytes of a message's header names and values.</summary>
    internal int ExactBytes(OutgoingMessage message) =>
        MoreBytes(message)
        + _attributes switch
        {
            CloudEventAttributes.All => 128
                + RequiredBytes(message)
                + Encoding.UTF8.GetByteCount(message.Subject)
                + Encoding.UTF8.GetByteCount(message.ContentType),
            CloudEventAttributes.Required => 64 + RequiredBytes(message),
            _ => 0,
        };

    private static int RequiredBytes(OutgoingMessage message) =>
        Encoding.UTF8.GetByteCount(message.Id)
        + Encoding.UTF8.GetByteCount(message.Source)
        + Encoding.UTF8.GetByteCount(message.Type);

    private static int MoreBytes(OutgoingMessage message) =>
        (message.TraceParent is null ? 0 : TraceBytes)
        + (
            message.Options?.Headers.Sum(h =>
                Encoding.UTF8.GetByteCount(h.Key) + Encoding.UTF8.GetByteCount(h.Value) + 4
            )
            ?? 0
        );

    internal void Set(OutgoingMessage message)
    {
        SetMore(message);
        if (_attributes == CloudEventAttributes.None)
            return;
        _id.Value = _ids.Encode(message.Id);
        _source.Value = Cached(message.Source);
        _type.Value = Cached(message.Type);
        if (_attributes == CloudEventAttributes.Required)
            return;
        _subject.Value = _subjects.Encode(message.Subject);
        _contentType.Value = Cached(message.ContentType);
        if (message.Time == _lastTime)
            return;
        _lastTime = message.Time;
        Span<byte> time = stackalloc byte[CloudEventJson.MaxTimeLength];
        _time.Value = _times.Copy(time[..CloudEventJson.FormatTime(message.Time, time)]);
    }

    /// <summary>
    /// Sets the trace and the configured headers. They follow the fixed headers, which are always present.
    /// </summary>
    private void SetMore(OutgoingMessage message)
    {
        while (List.Count > _own)
            List.Remove(List[^1].Key);
        if (message.TraceParent is { } trace)
            List.Add(new Header("traceparent") { Value = Encoding.UTF8.GetBytes(trace) });
        if (message.Options is null)
            return;
        foreach (var (name, value) in message.Options.Headers)
            List.Add(new Header(name) { Value = Cached(value) });
    }

    private byte[] Cached(string text)
    {
        if (_cache.TryGetValue(text, out var bytes))
            return bytes;
        if (_cache.Count == MaxCached)
            _cache.Clear();
        return _cache[text] = Encoding.UTF8.GetBytes(text);
    }

    private sealed class Header(string key) : IHeader
    {
        public string Key { get; } = key;

        public byte[] Value { get; set; } = [];

        public byte[] GetValueBytes() => Value;
    }
}
