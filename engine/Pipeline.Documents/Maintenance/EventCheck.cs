using System.Buffers.Binary;
using System.Text;
using Pipeline.Documents.Events;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks what the trees of events must say of each other: each event is found by its position and tags, and these lead
/// to it; streams and their numbers match.
/// </summary>
internal sealed class EventCheck(OfflineStore store, string name, Action<string?, long?, string> add)
{
    private readonly Tree? _documents = store.OpenTree(DatabaseTrees.Documents);
    private long _stream;
    private long _deletedTo;
    private long _events;
    private long _tags;

    internal void Walk(CancellationToken ct)
    {
        var events = store.OpenTree(DatabaseTrees.Events);
        var positions = store.OpenTree(DatabaseTrees.EventPositions);
        var tags = store.OpenTree(DatabaseTrees.EventTags);
        var streams = store.OpenTree(DatabaseTrees.EventStreams);
        var streamIds = store.OpenTree(DatabaseTrees.EventStreamIds);
        var whole = true;
        store.Scan(
            DatabaseTrees.Events,
            (key, value) => CheckEvent(key, value, positions, tags, streams, streamIds),
            _ => whole = false,
            ct
        );
        long placed = 0,
            lastTicks = 0;
        store.Scan(
            DatabaseTrees.EventPositions,
            (key, value) =>
            {
                if (key.Length != DocumentKeys.PositionBytes || value.Length != EventKeys.PlaceBytes)
                {
                    add(
                        null,
                        null,
                        $"the entry {KeyRange.Show(key)} of tree 'event-positions' has {key.Length} and {value.Length} bytes"
                    );
                    return;
                }

                var position = DocumentKeys.ReadPosition(key);
                if (EventKeys.PlaceTicks(value) < lastTicks)
                    add(null, position, "the event at this position is older than the one before it");
                lastTicks = EventKeys.PlaceTicks(value);
                if (EventKeys.Stream(value) == 0)
                    return;
                placed++;
                if (events?.Contains(value[..EventKeys.EventBytes]) != true)
                {
                    add(
                        null,
                        position,
                        $"the position leads to event {EventKeys.Sequence(value)} of stream number {EventKeys.Stream(value)}, which is missing"
                    );
                }
            },
            _ => whole = false,
            ct
        );
        store.Scan(
            DatabaseTrees.EventStreams,
            (key, value) =>
            {
                if (value.Length != StreamEntry.Bytes)
                {
                    add(null, null, $"the entry {KeyRange.Show(key)} of tree 'event-streams' has {value.Length} bytes");
                }
                else if (
                    streamIds is null
                    || !streamIds.TryGet(Number(StreamEntry.Read(value, name).Number), out var id)
                    || !id.SequenceEqual(key)
                )
                {
                    add(
                        null,
                        null,
                        $"the stream '{Encoding.UTF8.GetString(key)}' has a number that does not lead to it"
                    );
                }
            },
            _ => whole = false,
            ct
        );
        store.Scan(
            DatabaseTrees.EventTags,
            (key, value) =>
            {
                if (key.Length <= DocumentKeys.PositionBytes + 1 || value.Length != EventKeys.EventBytes)
                {
                    add(
                        null,
                        null,
                        $"the entry {KeyRange.Show(key)} of tree 'event-tags' has {key.Length} and {value.Length} bytes"
                    );
                }
                else if (events?.Contains(value) != true)
                {
                    add(
                        null,
                        DocumentKeys.ReadPosition(key[^DocumentKeys.PositionBytes..]),
                        $"the tag '{Encoding.UTF8.GetString(key[..^(DocumentKeys.PositionBytes + 1)])}' leads to event {EventKeys.Sequence(value)} of stream number {EventKeys.Stream(value)}, which is missing"
                    );
                }
            },
            _ => whole = false,
            ct
        );
        store.Scan(DatabaseTrees.StreamSnapshots, (key, value) => CheckSnapshot(key, value, streams), _ => { }, ct);
        if (!whole)
            return;
        if (placed != _events)
            add(null, null, $"{_events} events are there, and {placed} positions lead to some");
        if ((tags?.Count ?? 0) != _tags)
            add(null, null, $"events have {_tags} tags, tree 'event-tags' counts {tags?.Count ?? 0}");
        if ((streams?.Count ?? 0) != (streamIds?.Count ?? 0))
            add(null, null, $"{streams?.Count ?? 0} streams have {streamIds?.Count ?? 0} numbers");
    }

    private void CheckEvent(
        ReadOnlySpan<byte> key,
        ReadOnlySpan<byte> value,
        Tree? positions,
        Tree? tags,
        Tree? streams,
        Tree? streamIds
    )
    {
        _events++;
        if (key.Length != EventKeys.EventBytes)
        {
            add(null, null, $"a key of tree 'events' has {key.Length} bytes, not {EventKeys.EventBytes}");
            return;
        }

        try
        {
            var record = new EventRecord(value, name);
            if (EventKeys.Sequence(key) <= DeletedTo(EventKeys.Stream(key), streams, streamIds))
            {
                add(
                    null,
                    record.Position,
                    $"the event exists, but its stream, number {_stream}, says that events up to {_deletedTo} are deleted"
                );
            }

            var entry = new byte[EventKeys.MaxTagKeyBytes];
            DocumentKeys.WritePosition(entry, record.Position);
            if (
                positions is null
                || !positions.TryGet(entry.AsSpan(0, DocumentKeys.PositionBytes), out var place)
                || !place.StartsWith(key)
            )
            {
                add(null, record.Position, "the event is not found by its position");
            }

            if (
                (record.Flags & EventRecord.HasDocument) == 0
                && _documents?.Contains(entry.AsSpan(0, DocumentKeys.PositionBytes)) == true
            )
            {
                add(null, record.Position, "the event has the position of a document that is not its own");
            }

            if (streamIds?.Contains(Number(EventKeys.Stream(key))) != true)
                add(null, record.Position, $"the event is of stream number {EventKeys.Stream(key)}, which has no id");
            for (var rest = record.Tags; !rest.IsEmpty; _tags++)
            {
                var tag = EventRecord.NextTag(ref rest, name);
                if (tags?.Contains(entry.AsSpan(0, EventKeys.WriteTag(entry, tag, record.Position))) != true)
                    add(null, record.Position, $"the event is not found by its tag '{Encoding.UTF8.GetString(tag)}'");
            }
        }
        catch (Exception e) when (e is DatabaseCorruptException or CorruptPageException)
        {
            add(
                null,
                null,
                $"event {EventKeys.Sequence(key)} of stream number {EventKeys.Stream(key)} cannot be read: {e.Message}"
            );
        }
    }

    /// <summary>Up to where a stream's events are deleted, as the stream says. Events come stream by stream.</summary>
    private long DeletedTo(long stream, Tree? streams, Tree? streamIds)
    {
        if (stream == _stream)
            return _deletedTo;
        (_stream, _deletedTo) = (stream, 0);
        if (
            streams is not null
            && streamIds is not null
            && streamIds.TryGet(Number(stream), out var id)
            && EventReading.TryGetStream(streams, id, name, out var entry)
        )
        {
            _deletedTo = entry.DeletedTo;
        }

        return _deletedTo;
    }

    private void CheckSnapshot(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, Tree? streams)
    {
        if (key.Length <= DocumentKeys.PositionBytes + 1 || key[^(DocumentKeys.PositionBytes + 1)] != 0)
        {
            add(null, null, $"a key of tree 'stream-snapshots' has {key.Length} bytes and no number");
            return;
        }

        var stream = Encoding.UTF8.GetString(key[..^(DocumentKeys.PositionBytes + 1)]);
        var sequence = DocumentKeys.ReadPosition(key[^DocumentKeys.PositionBytes..]);
        try
        {
            _ = new SnapshotRecord(value, name);
            if (streams?.Contains(key[..^(DocumentKeys.PositionBytes + 1)]) != true)
                add(null, null, $"snapshot {sequence} is of the stream '{stream}', which is missing");
        }
        catch (Exception e) when (e is DatabaseCorruptException or CorruptPageException)
        {
            add(null, null, $"snapshot {sequence} of the stream '{stream}' cannot be read: {e.Message}");
        }
    }

    private static byte[] Number(long number)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        return key;
    }
}
