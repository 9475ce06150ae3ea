using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>Reads changes in order of position.</summary>
    /// <param name="after">The position to read after; 0 for the first change.</param>
    /// <param name="filter">Which changes are wanted.</param>
    /// <param name="limits">The size of the batch; <see cref="ChangeLimits.Default"/> if null.</param>
    /// <returns>
    /// The changes: of each document its last version in the snapshot, or its tombstone. Empty where nothing wanted is
    /// left; its
    /// <see cref="ChangeBatch.Through"/> is where to read on.
    /// </returns>
    public ChangeBatch ReadChanges(long after, ChangeFilter filter, ChangeLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        CheckOpen();
        var most = limits ?? ChangeLimits.Default;
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most.MaxCount, nameof(limits));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most.MaxBytes, nameof(limits));
        var builder = new ChangeBatch.Builder(_database, _transaction, most);
        try
        {
            var complete =
                _documents is null
                || (
                    filter.Collections is null
                        ? ReadAll(_documents, after, filter.IncludeDeletes, builder)
                        : ReadCollections(_documents, after, filter, builder)
                );
            return builder.Build(complete ? Math.Max(after, LastPosition) : builder.LastPosition, !complete);
        }
        catch
        {
            builder.Abandon();
            throw;
        }
    }

    /// <summary>
    /// Writes a change as JSON text: the document with its metadata, of a deletion the metadata alone.
    /// </summary>
    /// <param name="change">A change of this database.</param>
    /// <param name="target">Where to.</param>
    public void WriteJson(in Change change, System.Buffers.IBufferWriter<byte> target) =>
        ToDocument(change).WriteJson(target);

    /// <summary>The document of a put; its body stays in the batch's memory.</summary>
    internal Document ToDocument(in Change change) =>
        new(
            change.Id,
            change.Collection,
            change.Position,
            _database.IdText,
            change.LastModified.UtcTicks,
            change.IsDeleted,
            change.Body
        );

    private bool ReadAll(Tree documents, long after, bool includeDeletes, ChangeBatch.Builder builder)
    {
        using var cursor = documents.OpenCursor();
        for (var any = SeekAfter(cursor, after); any; any = cursor.MoveNext())
        {
            var record = new DocumentRecord(cursor.Value, _database.Name);

            // A document that only changed its collection is no delete to who follows all of them.
            if (record.IsDeleted && (!includeDeletes || record.IsMoved))
                continue;
            if (!builder.HasRoomFor(_database.Bodies.Length(record)))
                return false;
            builder.Add(DocumentKeys.ReadPosition(cursor.Key), record);
        }

        return true;
    }

    private bool ReadCollections(Tree documents, long after, ChangeFilter filter, ChangeBatch.Builder builder)
    {
        var cursors = new List<TreeCursor>();
        try
        {
            foreach (var collection in filter.Collections!)
            {
                if (!TryFindCollection(collection, out var number))
                    continue;
                Follow(DatabaseTrees.Live(number), after, cursors);
                if (filter.IncludeDeletes)
                    Follow(DatabaseTrees.Tombstones(number), after, cursors);
            }

            return Merge(documents, cursors, builder);
        }
        finally
        {
            foreach (var cursor in cursors)
                cursor.Dispose();
        }
    }

    private void Follow(string treeName, long after, List<TreeCursor> cursors)
    {
        if (!_transaction.TryOpenTree(treeName, out var tree))
            return;
        var cursor = tree.OpenCursor();
        if (SeekAfter(cursor, after))
            cursors.Add(cursor);
        else
            cursor.Dispose();
    }

    /// <summary>Merges the collections' positions, the least first, and reads the records along in one scan.</summary>
    private bool Merge(Tree documents, List<TreeCursor> cursors, ChangeBatch.Builder builder)
    {
        var queue = new PriorityQueue<TreeCursor, long>(cursors.Count);
        foreach (var cursor in cursors)
            queue.Enqueue(cursor, DocumentKeys.ReadPosition(cursor.Key));
        using var scan = documents.OpenCursor();
        long scanned = 0;
        while (queue.TryDequeue(out var least, out var position))
        {
            if (!MoveTo(scan, ref scanned, position))
            {
                throw new DatabaseCorruptException(
                    _database.Name,
                    $"a collection leads to position {position}, which has no record"
                );
            }

            var record = new DocumentRecord(scan.Value, _database.Name);
            if (!builder.HasRoomFor(_database.Bodies.Length(record)))
                return false;
            builder.Add(position, record);
            if (least.MoveNext())
                queue.Enqueue(least, DocumentKeys.ReadPosition(least.Key));
        }

        return true;
    }

    /// <summary>The next record is often the one; otherwise it is sought.</summary>
    private static bool MoveTo(TreeCursor scan, ref long scanned, long position)
    {
        var any = false;
        if (scanned != 0 && position - scanned <= 4)
        {
            do any = scan.MoveNext();
            while (any && DocumentKeys.ReadPosition(scan.Key) < position);
        }

        if (!any)
        {
            Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
            DocumentKeys.WritePosition(key, position);
            any = scan.Seek(key);
        }

        scanned = position;
        return any && DocumentKeys.ReadPosition(scan.Key) == position;
    }
}
