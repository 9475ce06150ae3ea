using Pipeline.Storage;

namespace Pipeline.Documents.Events;

/// <summary>
/// Goes through the events that a filter finds, in one direction: all positions, or the positions of some tags, merged.
/// Not thread-safe.
/// </summary>
internal sealed class EventScan : IDisposable
{
    private readonly string _database;
    private readonly EventFilter _filter;
    private readonly bool _backward;
    private readonly Tree _events;
    private readonly List<(TreeCursor Cursor, byte[]? Tag)> _sources = [];

    private EventScan(DocumentStorage database, EventFilter filter, bool backward, Tree events)
    {
        _database = database.Name;
        _filter = filter;
        _backward = backward;
        _events = events;
    }

    internal static EventScan? Forward(
        DocumentStorage database,
        Transaction transaction,
        EventFilter filter,
        long after
    ) => Open(database, transaction, filter, false, after == long.MaxValue ? after : after + 1);

    internal static EventScan? Backward(
        DocumentStorage database,
        Transaction transaction,
        EventFilter filter,
        long before
    ) => Open(database, transaction, filter, true, before);

    public void Dispose()
    {
        foreach ((var cursor, _) in _sources)
            cursor.Dispose();
    }

    /// <summary>Fills a batch. If no events are left, the batch continues at <paramref name="end"/>.</summary>
    internal EventBatch Fill(EventBatchBuilder builder, long end)
    {
        long through = 0,
            last = 0;
        while (TryTakeNext(out var source))
        {
            var cursor = _sources[source].Cursor;
            var position = Position(cursor.Key);
            var key = cursor.Value[..EventKeys.EventBytes];
            if (position != last && EventKeys.Stream(key) != 0)
            {
                if (!_events.TryGet(key, out var value))
                {
                    throw new DatabaseCorruptException(
                        _database,
                        $"position {position} leads to event {EventKeys.Sequence(key)} of stream number {EventKeys.Stream(key)}, which is missing"
                    );
                }

                var record = new EventRecord(value, _database);
                if (!_backward && _filter.Until is { } until && record.Ticks >= until.UtcTicks)
                    break;
                if (_backward && _filter.From is { } from && record.Ticks < from.UtcTicks)
                    break;
                var tags = _sources[source].Tag is null ? null : builder.ReadTags(record);
                if (tags is null || _filter.MatchesTags(tags))
                {
                    if (!builder.HasRoomFor(record))
                        return builder.Build(through, true);
                    builder.Add(key, record, tags);
                    through = position;
                }
            }

            last = position;
            Move(source);
        }

        return builder.Build(end, false);
    }

    private static EventScan? Open(
        DocumentStorage database,
        Transaction transaction,
        EventFilter filter,
        bool backward,
        long start
    )
    {
        if (!transaction.TryOpenTree(DatabaseTrees.Events, out var events))
            return null;
        var scan = new EventScan(database, filter, backward, events);
        Span<byte> key = stackalloc byte[EventKeys.MaxTagKeyBytes];
        if (filter.FoundBy is not { } tags)
        {
            if (!transaction.TryOpenTree(DatabaseTrees.EventPositions, out var positions))
                return null;
            DocumentKeys.WritePosition(key, start);
            scan.Add(positions, key[..DocumentKeys.PositionBytes], null);
            return scan;
        }

        if (!transaction.TryOpenTree(DatabaseTrees.EventTags, out var tree))
            return null;
        foreach (var text in tags.Distinct(StringComparer.Ordinal))
        {
            var tag = new byte[EventKeys.MaxTagBytes];
            tag = tag[..EventKeys.EncodeTag(text, tag)];
            scan.Add(tree, key[..EventKeys.WriteTag(key, tag, start)], tag);
        }

        return scan;
    }

    private void Add(Tree tree, ReadOnlySpan<byte> start, byte[]? tag)
    {
        var cursor = tree.OpenCursor();
        var any = cursor.Seek(start);
        if (_backward)
            any = any ? cursor.MovePrevious() : cursor.SeekLast();
        if (any && (tag is null || EventKeys.IsOfTag(cursor.Key, tag)))
            _sources.Add((cursor, tag));
        else
            cursor.Dispose();
    }

    private bool TryTakeNext(out int source)
    {
        source = 0;
        for (var i = 1; i < _sources.Count; i++)
        {
            if (Position(_sources[i].Cursor.Key) < Position(_sources[source].Cursor.Key) != _backward)
                source = i;
        }

        return _sources.Count > 0;
    }

    private void Move(int source)
    {
        (var cursor, var tag) = _sources[source];
        if (
            (_backward ? cursor.MovePrevious() : cursor.MoveNext())
            && (tag is null || EventKeys.IsOfTag(cursor.Key, tag))
        )
        {
            return;
        }

        cursor.Dispose();
        _sources.RemoveAt(source);
    }

    private static long Position(ReadOnlySpan<byte> key) =>
        DocumentKeys.ReadPosition(key[^DocumentKeys.PositionBytes..]);
}
