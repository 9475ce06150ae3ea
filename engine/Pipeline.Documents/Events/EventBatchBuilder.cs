using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Events;

/// <summary>
/// Collects events. Payloads are copied into chunks that are never moved, and repeated texts are created once.
/// </summary>
internal sealed class EventBatchBuilder(DocumentStorage database, Transaction transaction, ChangeLimits limits)
{
    private const int FirstChunkBytes = 16 * 1024;
    private const int ChunkBytes = 256 * 1024;
    private const int KnownTexts = 64;
    private readonly List<byte[]> _payloads = [];
    private readonly (byte[] Utf8, string Text)[] _texts = new (byte[], string)[KnownTexts];
    private StoredEvent[] _events = ArrayPool<StoredEvent>.Shared.Rent(Math.Min(limits.MaxCount, 64));
    private Tree? _streamIds;
    private (long Number, string Id) _stream;
    private int _count;
    private int _used;
    private long _bytes;

    internal int Count => _count;

    internal bool HasRoomFor(scoped in EventRecord record) =>
        _count == 0 || (_count < limits.MaxCount && _bytes + record.Payload.Length <= limits.MaxBytes);

    /// <summary>The stream whose events are added, so that it need not be looked up.</summary>
    internal void SetStream(long number, string id) => _stream = (number, id);

    internal void Add(scoped ReadOnlySpan<byte> key, scoped in EventRecord record, IReadOnlyList<string>? tags = null)
    {
        if (_count == _events.Length)
            Grow();
        var stream = StreamId(EventKeys.Stream(key));
        var sequence = EventKeys.Sequence(key);
        (var payload, var isKeyDestroyed) = CopyPayload(stream, sequence, record);
        _events[_count++] = new StoredEvent(
            record.Position,
            stream,
            sequence,
            new DateTimeOffset(record.Ticks, TimeSpan.Zero),
            record.SerializerId,
            Text(record.Manifest),
            Text(record.Writer),
            tags ?? ReadTags(record),
            payload,
            isKeyDestroyed
        );
    }

    internal IReadOnlyList<string> ReadTags(scoped in EventRecord record)
    {
        var tags = record.Tags;
        if (tags.IsEmpty)
            return [];
        var texts = new List<string>(2);
        while (!tags.IsEmpty)
            texts.Add(Text(EventRecord.NextTag(ref tags, database.Name)));
        return texts;
    }

    internal EventBatch Build(long through, bool hasMore) => new(_events, _count, _payloads, through, hasMore);

    internal void Abandon() => EventBatch.Return(_events, _count, _payloads);

    private string StreamId(long number)
    {
        if (_stream.Number == number && number != 0)
            return _stream.Id;
        Span<byte> key = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        if (
            (_streamIds is null && !transaction.TryOpenTree(DatabaseTrees.EventStreamIds, out _streamIds))
            || !_streamIds.TryGet(key, out var id)
        )
        {
            throw new DatabaseCorruptException(
                database.Name,
                $"an event is of stream number {number}, which has no id"
            );
        }

        _stream = (number, Text(id));
        return _stream.Id;
    }

    private string Text(ReadOnlySpan<byte> utf8)
    {
        if (utf8.IsEmpty)
            return "";
        var at = (utf8.Length + (utf8[^1] * 7) + (utf8[utf8.Length / 2] * 31)) % KnownTexts;
        (var known, var text) = _texts[at];
        if (known is not null && utf8.SequenceEqual(known))
            return text;
        text = Encoding.UTF8.GetString(utf8);
        _texts[at] = (utf8.ToArray(), text);
        return text;
    }

    private (ReadOnlyMemory<byte> Payload, bool IsKeyDestroyed) CopyPayload(
        string stream,
        long sequence,
        scoped in EventRecord record
    )
    {
        var payload = record.Payload;
        if (record.IsEncrypted)
        {
            if (!database.Events.TryGetKey(stream, out var key))
                return (default, true);
            payload = PayloadCipher.Open(key, stream, sequence, payload, database.Name);
        }

        if (_payloads.Count == 0 || payload.Length > _payloads[^1].Length - _used)
        {
            _payloads.Add(
                ArrayPool<byte>.Shared.Rent(
                    Math.Max(payload.Length, _payloads.Count == 0 ? FirstChunkBytes : ChunkBytes)
                )
            );
            _used = 0;
        }

        var copy = _payloads[^1].AsMemory(_used, payload.Length);
        payload.CopyTo(copy.Span);
        _used += payload.Length;
        _bytes += payload.Length;
        return (copy, false);
    }

    private void Grow()
    {
        var grown = ArrayPool<StoredEvent>.Shared.Rent((int)Math.Min(limits.MaxCount, _count * 4L));
        Array.Copy(_events, grown, _count);
        Array.Clear(_events, 0, _count);
        ArrayPool<StoredEvent>.Shared.Return(_events);
        _events = grown;
    }
}
