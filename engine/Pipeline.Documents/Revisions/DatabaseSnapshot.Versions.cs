using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>
    /// As <see cref="ReadChanges"/>, but with every version that is kept, not only the last of each document.
    /// </summary>
    /// <param name="after">The position to read after; 0 for the first change.</param>
    /// <param name="filter">Which changes are wanted.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    /// <returns>
    /// The changes in order of position. A document's departure from a collection is reported only until it comes back.
    /// </returns>
    public ChangeBatch ReadVersions(long after, ChangeFilter filter, ChangeLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        CheckOpen();
        if (_documents is null || !OpenRevisions())
            return ReadChanges(after, filter, limits);
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        var builder = new ChangeBatch.Builder(_database, _transaction, limits ?? ChangeLimits.Default);
        var cursors = new List<TreeCursor>();
        try
        {
            if (filter.Collections is null)
            {
                Follow(DatabaseTrees.Documents, after, cursors);
                Follow(DatabaseTrees.Revisions, after, cursors);
            }

            foreach (var collection in filter.Collections ?? [])
            {
                if (!TryFindCollection(collection, out var number))
                    continue;
                Follow(DatabaseTrees.Live(number), after, cursors);
                Follow(DatabaseTrees.RevisionsOf(number), after, cursors);
                if (filter.IncludeDeletes)
                    Follow(DatabaseTrees.Tombstones(number), after, cursors);
            }

            var complete = MergeVersions(filter, cursors, builder);
            return builder.Build(complete ? Math.Max(after, LastPosition) : builder.LastPosition, !complete);
        }
        catch
        {
            builder.Abandon();
            throw;
        }
        finally
        {
            foreach (var cursor in cursors)
                cursor.Dispose();
        }
    }

    private bool MergeVersions(ChangeFilter filter, List<TreeCursor> cursors, ChangeBatch.Builder builder)
    {
        var queue = new PriorityQueue<TreeCursor, long>(cursors.Count);
        foreach (var cursor in cursors)
            queue.Enqueue(cursor, DocumentKeys.ReadPosition(cursor.Key));
        long last = 0;
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        while (queue.TryDequeue(out var least, out var position))
        {
            // A deletion that another collection's document has replaced is a tombstone still, and a version too.
            if (position != last)
            {
                DocumentKeys.WritePosition(key, position);
                if (!_documents!.TryGet(key, out var bytes) && !_revisionRecords!.TryGet(key, out bytes))
                {
                    throw new DatabaseCorruptException(
                        _database.Name,
                        $"a collection refers to the version at position {position}, which has no record"
                    );
                }

                var record = new DocumentRecord(bytes, _database.Name);
                var isWanted =
                    !record.IsDeleted || (filter.IncludeDeletes && (filter.Collections is not null || !record.IsMoved));
                if (isWanted && !builder.HasRoomFor(_database.Bodies.Length(record)))
                    return false;
                if (isWanted)
                    builder.Add(position, record);
                last = position;
            }

            if (least.MoveNext())
                queue.Enqueue(least, DocumentKeys.ReadPosition(least.Key));
        }

        return true;
    }
}
