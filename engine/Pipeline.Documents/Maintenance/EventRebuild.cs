using System.Buffers.Binary;
using Pipeline.Documents.Events;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Makes the event trees of a salvaged database agree: positions and tags are rebuilt from the events, streams and
/// their numbers complete each other.
/// </summary>
internal sealed class EventRebuild(StorageEnvironment storage, string name)
{
    private readonly TreeSweep _sweep = new(storage);

    internal async Task RunAsync(List<string> notes, CancellationToken ct)
    {
        (byte[] Key, byte[] Place)? last = null;
        using (var read = storage.BeginRead())
        {
            if (!read.TreeNames().Any(t => t.StartsWith("event", StringComparison.Ordinal)))
                return;
            if (read.TryOpenTree(DatabaseTrees.EventPositions, out var positions))
            {
                using var cursor = positions.OpenCursor();
                if (
                    cursor.SeekLast()
                    && cursor.Key.Length == DocumentKeys.PositionBytes
                    && cursor.Value.Length == EventKeys.PlaceBytes
                )
                {
                    last = (cursor.Key.ToArray(), cursor.Value.ToArray());
                }
            }
        }

        await storage.WriteAsync(t => t.DropTree(DatabaseTrees.EventPositions), ct).ConfigureAwait(false);
        await storage.WriteAsync(t => t.DropTree(DatabaseTrees.EventTags), ct).ConfigureAwait(false);
        await _sweep.EachAsync(DatabaseTrees.EventStreams, AddNumber, ct).ConfigureAwait(false);
        await _sweep.EachAsync(DatabaseTrees.EventStreamIds, AddStream, ct).ConfigureAwait(false);
        await _sweep.EachAsync(DatabaseTrees.Events, AddEvent, ct).ConfigureAwait(false);
        if (last is { } kept)
            await storage.WriteAsync(t => KeepLast(t, kept.Key, kept.Place), ct).ConfigureAwait(false);
        if (_sweep.Removed > 0)
            notes.Add($"{_sweep.Removed} events or streams are of no use, because what leads to them is lost");
    }

    private static bool AddNumber(WriteTransaction transaction, byte[] key, byte[] value)
    {
        if (key.Length is 0 or > EventKeys.MaxStreamIdBytes || value.Length != StreamEntry.Bytes)
            return false;
        Span<byte> number = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(number, BinaryPrimitives.ReadInt64LittleEndian(value));
        transaction.CreateTree(DatabaseTrees.EventStreamIds).Put(number, key);
        return true;
    }

    private static bool AddStream(WriteTransaction transaction, byte[] key, byte[] value)
    {
        if (key.Length != 8 || value.Length is 0 or > EventKeys.MaxStreamIdBytes)
            return false;
        var streams = transaction.CreateTree(DatabaseTrees.EventStreams);
        if (!streams.Contains(value))
        {
            new StreamEntry(BinaryPrimitives.ReadInt64BigEndian(key), 0).Write(
                streams.Reserve(value, StreamEntry.Bytes)
            );
        }

        return true;
    }

    private bool AddEvent(WriteTransaction transaction, byte[] key, byte[] value)
    {
        if (
            key.Length != EventKeys.EventBytes
            || !transaction.CreateTree(DatabaseTrees.EventStreamIds).Contains(key.AsSpan(0, 8))
        )
        {
            return false;
        }

        try
        {
            var record = new EventRecord(value, name);
            Span<byte> place = stackalloc byte[EventKeys.PlaceBytes];
            key.CopyTo(place);
            BinaryPrimitives.WriteInt64LittleEndian(place[EventKeys.EventBytes..], record.Ticks);
            Span<byte> target = stackalloc byte[EventKeys.MaxTagKeyBytes];
            DocumentKeys.WritePosition(target, record.Position);
            transaction.CreateTree(DatabaseTrees.EventPositions).Put(target[..DocumentKeys.PositionBytes], place);
            for (var tags = record.Tags; !tags.IsEmpty; )
            {
                var tag = EventRecord.NextTag(ref tags, name);
                if (tag.Length > EventKeys.MaxTagBytes)
                    return false;
                transaction
                    .CreateTree(DatabaseTrees.EventTags)
                    .Put(target[..EventKeys.WriteTag(target, tag, record.Position)], key);
            }

            return true;
        }
        catch (DatabaseCorruptException)
        {
            // The sweep removes the entry and counts it.
            return false;
        }
    }

    /// <summary>Keeps the last position, so that none is given twice.</summary>
    private static void KeepLast(WriteTransaction transaction, byte[] key, byte[] place)
    {
        var positions = transaction.CreateTree(DatabaseTrees.EventPositions);
        if (DatabasePositions.LastIn(positions) >= DocumentKeys.ReadPosition(key))
            return;
        EventKeys.WriteEvent(place, 0, 0);
        positions.Put(key, place);
    }
}
