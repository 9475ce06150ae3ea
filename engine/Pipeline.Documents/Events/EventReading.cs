using Pipeline.Storage;

namespace Pipeline.Documents.Events;

/// <summary>Reads that a snapshot and a write transaction do alike.</summary>
internal static class EventReading
{
    internal static bool TryGetStream(Tree streams, ReadOnlySpan<byte> streamId, string database, out StreamEntry entry)
    {
        var found = streams.TryGet(streamId, out var value);
        entry = found ? StreamEntry.Read(value, database) : default;
        return found;
    }

    /// <summary>The highest number ever given in a stream.</summary>
    internal static long Highest(Tree events, StreamEntry stream)
    {
        Span<byte> key = stackalloc byte[EventKeys.EventBytes];
        EventKeys.WriteEvent(key, stream.Number + 1, 0);
        using var cursor = events.OpenCursor();
        var any = cursor.Seek(key) ? cursor.MovePrevious() : cursor.SeekLast();
        return any && EventKeys.Stream(cursor.Key) == stream.Number
            ? Math.Max(stream.DeletedTo, EventKeys.Sequence(cursor.Key))
            : stream.DeletedTo;
    }
}
