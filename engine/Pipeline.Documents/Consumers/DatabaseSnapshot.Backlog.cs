using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>This many changes are counted one by one; those after them are estimated.</summary>
    private const int CountedChanges = 2_048;

    private const int Samples = 128;
    private const int SampleChanges = 16;

    /// <summary>
    /// Tombstones up to this position may have been purged: a reader that continues from a lower one may miss
    /// deletions.
    /// </summary>
    public long PurgedThrough =>
        GetState(DatabaseConsumers.PurgedKey) is { Length: 8 } bytes
            ? System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(bytes)
            : 0;

    /// <summary>
    /// Measures what <see cref="ReadChanges"/> would give after a position. Up to 2,048 changes of a collection (or of
    /// all) are counted; beyond, 128 stretches of positions are sampled with 16 changes each, and a stretch with fewer
    /// is counted too. Costs at most some thousand reads of a key, however much waits.
    /// </summary>
    /// <param name="after">The position.</param>
    /// <param name="filter">Which changes.</param>
    public ChangeBacklog MeasureChanges(long after, ChangeFilter filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        return Measure(after, filter.Collections, filter.IncludeDeletes, null);
    }

    /// <summary>
    /// Like <see cref="MeasureChanges"/>, for the changes that a consumer takes, including former versions if it reads
    /// them.
    /// </summary>
    internal ChangeBacklog Measure(
        long after,
        IReadOnlyList<string>? collections,
        bool deletes,
        Func<string, bool>? takes,
        bool versions = false
    )
    {
        CheckOpen();
        if (_documents is null || after >= LastPosition)
            return ChangeBacklog.None;
        var sum = new Sum();
        if (collections is null)
        {
            Dictionary<int, bool> known = [];
            using var cursor = _documents.OpenCursor();
            Measure(
                cursor,
                after,
                sum,
                (c, s) => Add(new DocumentRecord(c.Value, _database.Name), c.Value.Length, allCollections: true, s)
            );
            if (versions && OpenRevisions())
            {
                using var former = _revisionRecords.OpenCursor();
                Measure(
                    former,
                    after,
                    sum,
                    (c, s) => Add(new DocumentRecord(c.Value, _database.Name), c.Value.Length, allCollections: true, s)
                );
            }

            bool Add(DocumentRecord record, int bytes, bool allCollections, Sum into)
            {
                if (record.IsDeleted && (!deletes || (record.IsMoved && allCollections)))
                    return false;
                if (takes is not null)
                {
                    if (!known.TryGetValue(record.CollectionId, out var taken))
                    {
                        known[record.CollectionId] = taken = takes(
                            CollectionNames.Name(
                                record.CollectionId,
                                _transaction,
                                _database.Collections,
                                _database.Name
                            )
                        );
                    }

                    if (!taken)
                        return false;
                }

                into.Add(record.Ticks, bytes, record.IsDeleted);
                return true;
            }
        }
        else
        {
            using var records = _documents.OpenCursor();
            foreach (var collection in collections)
            {
                if (!TryFindCollection(collection, out var number))
                    continue;
                MeasureTree(DatabaseTrees.Live(number), after, records, sum);
                if (deletes)
                    MeasureTree(DatabaseTrees.Tombstones(number), after, records, sum);
                if (!versions || !OpenRevisions())
                    continue;
                using var former = _revisionRecords.OpenCursor();
                MeasureTree(DatabaseTrees.RevisionsOf(number), after, former, sum);
            }
        }

        return sum.ToBacklog();
    }

    /// <summary>Tombstones after a position, of all collections.</summary>
    internal ChangeBacklog MeasureTombstones(long after)
    {
        if (
            _documents is null
            || after >= LastPosition
            || !_transaction.TryOpenTree(DatabaseTrees.Collections, out var names)
        )
        {
            return ChangeBacklog.None;
        }

        var sum = new Sum();
        using var records = _documents.OpenCursor();
        for (var number = 1; number <= names.Count / 2; number++)
            MeasureTree(DatabaseTrees.Tombstones(number), after, records, sum);
        return sum.ToBacklog();
    }

    /// <summary>The position of the oldest tombstone; <see cref="long.MaxValue"/> if there is none.</summary>
    internal long FirstTombstone()
    {
        var first = long.MaxValue;
        if (!_transaction.TryOpenTree(DatabaseTrees.Collections, out var names))
            return first;
        for (var number = 1; number <= names.Count / 2; number++)
        {
            if (!_transaction.TryOpenTree(DatabaseTrees.Tombstones(number), out var tree))
                continue;
            using var cursor = tree.OpenCursor();
            if (cursor.SeekFirst())
                first = Math.Min(first, DocumentKeys.ReadPosition(cursor.Key));
        }

        return first;
    }

    private void MeasureTree(string name, long after, TreeCursor records, Sum sum)
    {
        if (!_transaction.TryOpenTree(name, out var tree))
            return;
        using var cursor = tree.OpenCursor();
        Measure(
            cursor,
            after,
            sum,
            (c, s) =>
            {
                if (!records.Seek(c.Key))
                    return false;
                var record = new DocumentRecord(records.Value, _database.Name);
                s.Add(record.Ticks, records.Value.Length, record.IsDeleted);
                return true;
            }
        );
    }

    /// <summary>Counts from a position on, then takes samples of the rest.</summary>
    private void Measure(TreeCursor cursor, long after, Sum sum, Func<TreeCursor, Sum, bool> add)
    {
        var counted = new Sum();
        var read = 0;
        var any = SeekAfter(cursor, after);
        for (; any && read < CountedChanges; any = cursor.MoveNext(), read++)
            add(cursor, counted);
        var from = any ? DocumentKeys.ReadPosition(cursor.Key) - 1 : LastPosition;
        sum.Take(counted, 1);
        if (!any)
            return;
        var width = (LastPosition - from) / (double)Samples;
        for (var i = 0; i < Samples; i++)
        {
            long begin = from + (long)(width * i),
                end = i == Samples - 1 ? LastPosition : from + (long)(width * (i + 1));
            if (end <= begin)
                continue;
            var sample = new Sum();
            var reached = end;
            any = SeekAfter(cursor, begin);
            for (
                read = 0;
                any && DocumentKeys.ReadPosition(cursor.Key) is var position && position <= end;
                any = cursor.MoveNext(), read++
            )
            {
                if (read == SampleChanges)
                {
                    reached = position - 1;
                    break;
                }

                add(cursor, sample);
            }

            sum.Take(sample, (end - begin) / (double)Math.Max(1, reached - begin));
        }
    }

    private sealed class Sum
    {
        private double _changes,
            _bytes,
            _tombstones;
        private long _oldest = long.MaxValue;
        private bool _estimated;

        public void Add(long ticks, long bytes, bool isTombstone)
        {
            _changes++;
            _bytes += bytes;
            _tombstones += isTombstone ? 1 : 0;
            _oldest = Math.Min(_oldest, ticks);
        }

        public void Take(Sum part, double times)
        {
            _changes += part._changes * times;
            _bytes += part._bytes * times;
            _tombstones += part._tombstones * times;
            _oldest = Math.Min(_oldest, part._oldest);
            _estimated |= times > 1;
        }

        public ChangeBacklog ToBacklog() =>
            _changes == 0
                ? ChangeBacklog.None
                : new ChangeBacklog(
                    (long)Math.Round(_changes),
                    (long)Math.Round(_bytes),
                    (long)Math.Round(_tombstones),
                    new DateTimeOffset(_oldest, TimeSpan.Zero),
                    !_estimated
                );
    }
}
