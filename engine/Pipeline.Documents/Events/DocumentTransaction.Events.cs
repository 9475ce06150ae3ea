using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Pipeline.Documents.Events;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    private Tree? _eventTree;
    private Tree? _eventPositions;
    private Tree? _eventStreams;
    private long _eventTicks;

    /// <summary>Appends events to a stream and creates the stream if it does not exist.</summary>
    /// <param name="streamId">The stream's id, 1 to 512 bytes of UTF-8 without zero bytes; its case matters.</param>
    /// <param name="events">The events, in order.</param>
    /// <param name="expectedSequence">
    /// The number that must be the stream's highest, 0 for a stream without events; null for any.
    /// </param>
    /// <returns>Where the stream is now.</returns>
    /// <exception cref="EventConflictException">
    /// The stream's last number is not the expected one, or a number of a new event exists already.
    /// </exception>
    /// <exception cref="InvalidEventException">The id, a tag or an event is over a limit.</exception>
    /// <exception cref="StreamKeyDestroyedException">The stream's key was destroyed.</exception>
    public AppendResult AppendEvents(string streamId, IReadOnlyList<EventData> events, long? expectedSequence = null)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(events);
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        var tree = OpenEventTrees();
        var stream = GetOrAddStream(utf8);
        var highest = EventReading.Highest(tree, stream);
        if (expectedSequence is { } expected && expected != highest)
            throw new EventConflictException(streamId, expected, highest);
        var before = Changes;
        try
        {
            return AppendAll(streamId, stream, highest, events);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }
    }

    private AppendResult AppendAll(string streamId, StreamEntry stream, long highest, IReadOnlyList<EventData> events)
    {
        var key = events.Count > 0 && _database.Events.IsEncrypted(streamId) ? _database.Events.GetKey(streamId) : null;
        long position = 0;
        for (var i = 0; i < events.Count; i++)
        {
            var data = events[i];
            var sequence = data.SequenceNumber == 0 ? highest + 1 : data.SequenceNumber;
            if (sequence <= highest)
            {
                if (!TryFindSame(stream, sequence, data, out position))
                    throw new EventConflictException(streamId, sequence, highest);
                continue;
            }

            position = AppendEvent(streamId, stream.Number, sequence, data, key);
            highest = sequence;
        }

        return new AppendResult(highest, position);
    }

    /// <summary>
    /// The highest number ever given in a stream, deleted events included, as this transaction sees it; 0 if the stream
    /// never had an event.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    public long GetHighestSequence(string streamId)
    {
        CheckOpen();
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        return
            _transaction.TryOpenTree(DatabaseTrees.EventStreams, out var streams)
            && EventReading.TryGetStream(streams, utf8, _database.Name, out var entry)
            ? EventReading.Highest(OpenEventTrees(), entry)
            : 0;
    }

    /// <summary>Deletes the first events of a stream, with their documents. Its highest number stays.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="through">The last number to delete.</param>
    /// <param name="most">How many, at most, so that the commit stays small.</param>
    /// <returns>How many were deleted; fewer than <paramref name="most"/> if none is left.</returns>
    public int DeleteEvents(string streamId, long through, int most)
    {
        CheckOpen();
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most);
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        if (
            !_transaction.TryOpenTree(DatabaseTrees.EventStreams, out var streams)
            || !EventReading.TryGetStream(streams, utf8, _database.Name, out var stream)
        )
        {
            return 0;
        }

        var tree = OpenEventTrees();
        through = Math.Min(through, EventReading.Highest(tree, stream));
        if (through <= stream.DeletedTo)
            return 0;
        var found = new List<(long Sequence, long Position, bool HasDocument, byte[]? Tags)>();
        Span<byte> key = stackalloc byte[EventKeys.EventBytes];
        EventKeys.WriteEvent(key, stream.Number, stream.DeletedTo + 1);
        using (var cursor = tree.OpenCursor())
        {
            for (
                var any = cursor.Seek(key);
                any
                    && found.Count < most
                    && EventKeys.Stream(cursor.Key) == stream.Number
                    && EventKeys.Sequence(cursor.Key) <= through;
                any = cursor.MoveNext()
            )
            {
                var record = new EventRecord(cursor.Value, _database.Name);
                found.Add(
                    (
                        EventKeys.Sequence(cursor.Key),
                        record.Position,
                        (record.Flags & EventRecord.HasDocument) != 0,
                        record.Tags.IsEmpty ? null : record.Tags.ToArray()
                    )
                );
            }
        }

        Span<byte> entry = stackalloc byte[StreamEntry.Bytes];
        var before = Changes;
        try
        {
            foreach ((var sequence, var position, var hasDocument, var tags) in found)
            {
                EventKeys.WriteEvent(key, stream.Number, sequence);
                tree.Delete(key);
                DeletePosition(position, tags);
                if (hasDocument)
                    DeleteEventDocument(position);
            }

            (stream with { DeletedTo = found.Count < most ? through : found[^1].Sequence }).Write(entry);
            streams.Put(utf8, entry);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }

        return found.Count;
    }

    private Tree OpenEventTrees()
    {
        if (_eventTree is not null)
            return _eventTree;
        _eventPositions = _transaction.CreateTree(DatabaseTrees.EventPositions);
        _eventStreams = _transaction.CreateTree(DatabaseTrees.EventStreams);
        using (var last = _eventPositions.OpenCursor())
            _eventTicks = last.SeekLast() ? Math.Max(_ticks, EventKeys.PlaceTicks(last.Value)) : _ticks;
        return _eventTree = _transaction.CreateTree(DatabaseTrees.Events);
    }

    private StreamEntry GetOrAddStream(ReadOnlySpan<byte> utf8)
    {
        if (EventReading.TryGetStream(_eventStreams!, utf8, _database.Name, out var entry))
            return entry;
        var ids = _transaction.CreateTree(DatabaseTrees.EventStreamIds);
        long number = 1;
        using (var last = ids.OpenCursor())
        {
            if (last.SeekLast())
                number = BinaryPrimitives.ReadInt64BigEndian(last.Key) + 1;
        }

        Span<byte> key = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        ids.Put(key, utf8);
        entry = new StreamEntry(number, 0);
        entry.Write(_eventStreams!.Reserve(utf8, StreamEntry.Bytes));
        return entry;
    }

    private long AppendEvent(string streamId, long stream, long sequence, EventData data, byte[]? key)
    {
        Span<byte> texts = stackalloc byte[EventKeys.MaxManifestBytes + EventKeys.MaxWriterBytes];
        if (!Encoding.UTF8.TryGetBytes(data.Manifest, texts[..EventKeys.MaxManifestBytes], out var manifest))
        {
            throw new InvalidEventException(
                $"The manifest of event {sequence} of '{streamId}' has more than {EventKeys.MaxManifestBytes} bytes of UTF-8."
            );
        }

        if (!Encoding.UTF8.TryGetBytes(data.Writer, texts.Slice(manifest, EventKeys.MaxWriterBytes), out var writer))
        {
            throw new InvalidEventException(
                $"The writer of event {sequence} of '{streamId}' has more than {EventKeys.MaxWriterBytes} bytes of UTF-8."
            );
        }

        var tags = data.Tags.Count == 0 ? [] : EncodeTags(data.Tags);
        byte flags = 0;
        var payload = data.Payload.Span;
        if (key is not null)
        {
            payload = PayloadCipher.Seal(key, streamId, sequence, payload);
            flags = EventRecord.Encrypted;
        }

        long position;
        if (data.Document is { } document && key is null)
        {
            position = PutEventDocument(streamId, stream, sequence, document);
            flags |= EventRecord.HasDocument;
        }
        else
        {
            position = ++LastPosition;
        }

        Span<byte> eventKey = stackalloc byte[EventKeys.PlaceBytes];
        EventKeys.WriteEvent(eventKey, stream, sequence);
        EventRecord.Write(
            _eventTree!.Reserve(
                eventKey[..EventKeys.EventBytes],
                EventRecord.Size(manifest, writer, tags.Length, payload.Length)
            ),
            flags,
            position,
            _eventTicks,
            data.SerializerId,
            texts[..manifest],
            texts.Slice(manifest, writer),
            tags,
            payload
        );
        BinaryPrimitives.WriteInt64LittleEndian(eventKey[EventKeys.EventBytes..], _eventTicks);
        Span<byte> positionKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(positionKey, position);
        _eventPositions!.Put(positionKey, eventKey);
        if (tags.Length > 0)
            PutTags(tags, position, eventKey[..EventKeys.EventBytes]);
        return position;
    }

    private static byte[] EncodeTags(IReadOnlyList<string> tags)
    {
        if (tags.Count > 255)
            throw new InvalidEventException($"An event has {tags.Count} tags; 255 are allowed.");
        using var all = new MemoryStream();
        Span<byte> tag = stackalloc byte[2 + EventKeys.MaxTagBytes];
        foreach (var text in tags)
        {
            var length = EventKeys.EncodeTag(text, tag[2..]);
            BinaryPrimitives.WriteUInt16LittleEndian(tag, (ushort)length);
            all.Write(tag[..(2 + length)]);
        }

        return all.Length <= ushort.MaxValue
            ? all.ToArray()
            : throw new InvalidEventException(
                $"The tags of an event have {all.Length} bytes; {ushort.MaxValue} are allowed."
            );
    }

    private void PutTags(ReadOnlySpan<byte> tags, long position, ReadOnlySpan<byte> eventKey)
    {
        var tree = _transaction.CreateTree(DatabaseTrees.EventTags);
        Span<byte> key = stackalloc byte[EventKeys.MaxTagKeyBytes];
        while (!tags.IsEmpty)
            tree.Put(key[..EventKeys.WriteTag(key, EventRecord.NextTag(ref tags, _database.Name), position)], eventKey);
    }

    /// <summary>
    /// The event's document takes the next position, which is the event's. An existing document with that id is not
    /// changed.
    /// </summary>
    private long PutEventDocument(string streamId, long stream, long sequence, DocumentDraft document)
    {
        var id = EventDocumentId.Of(streamId, sequence);
        if (Exists(id))
            id = EventDocumentId.Of(string.Create(CultureInfo.InvariantCulture, $"{stream}~{streamId}"), sequence);
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8 = utf8[..DocumentKeys.EncodeId(id, utf8)];
        return PutRecord(
            utf8,
            id,
            CollectionNumber(MetadataRules.CollectionOf(document.Collection)),
            document.Body.Data.Span,
            null,
            document.ListsAttachments
        );
    }

    /// <summary>
    /// Whether the same writer has stored the event already: a write whose answer was lost is repeated.
    /// </summary>
    private bool TryFindSame(StreamEntry stream, long sequence, EventData data, out long position)
    {
        position = 0;
        Span<byte> key = stackalloc byte[EventKeys.EventBytes];
        EventKeys.WriteEvent(key, stream.Number, sequence);
        if (data.Writer.Length == 0 || !_eventTree!.TryGet(key, out var value))
            return false;
        var record = new EventRecord(value, _database.Name);
        position = record.Position;
        return record.SerializerId == data.SerializerId
            && record.Writer.SequenceEqual(Encoding.UTF8.GetBytes(data.Writer))
            && record.Manifest.SequenceEqual(Encoding.UTF8.GetBytes(data.Manifest))
            && (record.IsEncrypted || record.Payload.SequenceEqual(data.Payload.Span));
    }

    private void DeletePosition(long position, byte[]? tags)
    {
        Span<byte> key = stackalloc byte[EventKeys.MaxTagKeyBytes];
        DocumentKeys.WritePosition(key, position);
        var positionKey = key[..DocumentKeys.PositionBytes];
        if (position == DatabasePositions.LastIn(_eventPositions!))
        {
            // The last position stays, without an event: positions and times continue from it.
            Span<byte> place = stackalloc byte[EventKeys.PlaceBytes];
            _eventPositions!.TryGet(positionKey, out var former);
            former.CopyTo(place);
            EventKeys.WriteEvent(place, 0, 0);
            _eventPositions.Put(positionKey, place);
        }
        else
        {
            _eventPositions!.Delete(positionKey);
        }

        if (tags is null)
            return;
        var tree = _transaction.CreateTree(DatabaseTrees.EventTags);
        ReadOnlySpan<byte> rest = tags;
        while (!rest.IsEmpty)
            tree.Delete(key[..EventKeys.WriteTag(key, EventRecord.NextTag(ref rest, _database.Name), position)]);
    }

    private void DeleteEventDocument(long position)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        if (
            _documents.TryGet(key, out var bytes)
            && new DocumentRecord(bytes, _database.Name) is { IsDeleted: false } record
        )
        {
            Delete(Encoding.UTF8.GetString(record.Id));
        }
    }
}
