using System.Buffers.Binary;
using System.Text;
using Pipeline.Documents.Events;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>Reads events of one stream in order.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="from">The first number wanted.</param>
    /// <param name="to">The last number wanted.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    /// <returns>The events; none if the stream does not exist.</returns>
    public EventBatch ReadStream(string streamId, long from = 1, long to = long.MaxValue, ChangeLimits? limits = null)
    {
        CheckOpen();
        var builder = new EventBatchBuilder(_database, _transaction, limits ?? ChangeLimits.Default);
        try
        {
            if (
                !TryGetStream(streamId, out var stream)
                || !_transaction.TryOpenTree(DatabaseTrees.Events, out var events)
            )
            {
                return builder.Build(to, false);
            }

            builder.SetStream(stream.Number, streamId);
            Span<byte> key = stackalloc byte[EventKeys.EventBytes];
            EventKeys.WriteEvent(key, stream.Number, Math.Max(1, from));
            var through = from - 1;
            using var cursor = events.OpenCursor();
            for (
                var any = cursor.Seek(key);
                any
                    && EventKeys.Stream(cursor.Key) == stream.Number
                    && EventKeys.Sequence(cursor.Key) is var sequence
                    && sequence <= to;
                any = cursor.MoveNext()
            )
            {
                var record = new EventRecord(cursor.Value, _database.Name);
                if (!builder.HasRoomFor(record))
                    return builder.Build(through, true);
                builder.Add(cursor.Key, record);
                through = sequence;
            }

            return builder.Build(Math.Max(through, Math.Min(to, EventReading.Highest(events, stream))), false);
        }
        catch
        {
            builder.Abandon();
            throw;
        }
    }

    /// <summary>Reads events of one stream from the last to the first.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="before">The number before which to begin; <see cref="long.MaxValue"/> for the last.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    public EventBatch ReadStreamBackwards(string streamId, long before = long.MaxValue, ChangeLimits? limits = null)
    {
        CheckOpen();
        var builder = new EventBatchBuilder(_database, _transaction, limits ?? ChangeLimits.Default);
        try
        {
            if (
                !TryGetStream(streamId, out var stream)
                || !_transaction.TryOpenTree(DatabaseTrees.Events, out var events)
            )
            {
                return builder.Build(0, false);
            }

            builder.SetStream(stream.Number, streamId);
            Span<byte> key = stackalloc byte[EventKeys.EventBytes];
            EventKeys.WriteEvent(key, stream.Number, Math.Max(0, before));
            using var cursor = events.OpenCursor();
            for (
                var any = cursor.Seek(key) ? cursor.MovePrevious() : cursor.SeekLast();
                any && EventKeys.Stream(cursor.Key) == stream.Number;
                any = cursor.MovePrevious()
            )
            {
                var record = new EventRecord(cursor.Value, _database.Name);
                if (!builder.HasRoomFor(record))
                    return builder.Build(before, true);
                builder.Add(cursor.Key, record);
                before = EventKeys.Sequence(cursor.Key);
            }

            return builder.Build(0, false);
        }
        catch
        {
            builder.Abandon();
            throw;
        }
    }

    /// <summary>Reads events of all streams in order of position.</summary>
    /// <param name="after">The position to read after; 0 for the first event.</param>
    /// <param name="filter">Which events are wanted; null for all.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    public EventBatch ReadEvents(long after, EventFilter? filter = null, ChangeLimits? limits = null)
    {
        CheckOpen();
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        filter ??= EventFilter.All;
        var builder = new EventBatchBuilder(_database, _transaction, limits ?? ChangeLimits.Default);
        try
        {
            if (filter.From is { } from)
                after = Math.Max(after, FindEventPosition(from));
            using var scan = EventScan.Forward(_database, _transaction, filter, after);
            return scan is null
                ? builder.Build(Math.Max(after, LastPosition), false)
                : scan.Fill(builder, Math.Max(after, LastPosition));
        }
        catch
        {
            builder.Abandon();
            throw;
        }
    }

    /// <summary>Reads events of all streams in falling order of position.</summary>
    /// <param name="before">The position before which to begin; <see cref="long.MaxValue"/> for the last event.</param>
    /// <param name="filter">Which events are wanted; null for all.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    public EventBatch ReadEventsBackwards(
        long before = long.MaxValue,
        EventFilter? filter = null,
        ChangeLimits? limits = null
    )
    {
        CheckOpen();
        ArgumentOutOfRangeException.ThrowIfNegative(before);
        filter ??= EventFilter.All;
        var builder = new EventBatchBuilder(_database, _transaction, limits ?? ChangeLimits.Default);
        try
        {
            if (filter.Until is { } until && FindEventPosition(until) is var last && last < long.MaxValue)
                before = Math.Min(before, last + 1);
            using var scan = EventScan.Backward(_database, _transaction, filter, before);
            return scan is null ? builder.Build(0, false) : scan.Fill(builder, 0);
        }
        catch
        {
            builder.Abandon();
            throw;
        }
    }

    /// <summary>The position of the last event that was written before a time; 0 if there is none.</summary>
    /// <param name="time">The time.</param>
    public long FindEventPosition(DateTimeOffset time)
    {
        CheckOpen();
        if (!_transaction.TryOpenTree(DatabaseTrees.EventPositions, out var positions))
            return 0;
        using var cursor = positions.OpenCursor();
        long low = 0,
            high = cursor.SeekLast() ? DocumentKeys.ReadPosition(cursor.Key) : 0;
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];

        // Times never fall from one position to the next: everything up to low is before the time, everything behind
        // high is not.
        while (low < high)
        {
            var middle = low + ((high - low + 1) / 2);
            DocumentKeys.WritePosition(key, middle);
            if (
                cursor.Seek(key)
                && DocumentKeys.ReadPosition(cursor.Key) is var found
                && found <= high
                && EventKeys.PlaceTicks(cursor.Value) < time.UtcTicks
            )
            {
                low = found;
            }
            else
            {
                high = middle - 1;
            }
        }

        return low;
    }

    /// <summary>
    /// The highest number ever given in a stream, deleted events included; 0 if the stream does not exist.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    public long GetHighestSequence(string streamId)
    {
        CheckOpen();
        return TryGetStream(streamId, out var stream) && _transaction.TryOpenTree(DatabaseTrees.Events, out var events)
            ? EventReading.Highest(events, stream)
            : 0;
    }

    /// <summary>The streams, in the order in which they were made.</summary>
    /// <param name="after">The number of a stream after which to begin; 0 for the first.</param>
    /// <param name="most">How many, at most.</param>
    public IReadOnlyList<EventStreamInfo> ReadStreams(long after = 0, int most = 4096)
    {
        CheckOpen();
        var streams = new List<EventStreamInfo>();
        if (!_transaction.TryOpenTree(DatabaseTrees.EventStreamIds, out var ids))
            return streams;
        Span<byte> key = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, after + 1);
        using var cursor = ids.OpenCursor();
        for (var any = cursor.Seek(key); any && streams.Count < most; any = cursor.MoveNext())
        {
            streams.Add(
                new EventStreamInfo(
                    BinaryPrimitives.ReadInt64BigEndian(cursor.Key),
                    Encoding.UTF8.GetString(cursor.Value)
                )
            );
        }

        return streams;
    }

    private bool TryGetStream(string streamId, out StreamEntry stream)
    {
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        stream = default;
        return _transaction.TryOpenTree(DatabaseTrees.EventStreams, out var streams)
            && EventReading.TryGetStream(streams, utf8, _database.Name, out stream);
    }
}
