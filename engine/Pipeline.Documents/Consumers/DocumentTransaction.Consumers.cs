using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>
    /// Makes a consumer of the change feed known, or changes one: tombstones are kept for it from this commit on.
    /// </summary>
    /// <param name="consumer">The consumer.</param>
    public void SetConsumer(FeedConsumer consumer)
    {
        ArgumentNullException.ThrowIfNull(consumer);
        List<FeedConsumer> all =
        [
            .. DatabaseConsumers.Parse(GetState(DatabaseConsumers.StateKey)).Where(c => !IsNamed(c, consumer.Name)),
            consumer,
        ];
        SetState(DatabaseConsumers.StateKey, DatabaseConsumers.Format(all));
    }

    /// <summary>A consumer, as this transaction sees it; null if there is none of this name.</summary>
    /// <param name="name">Its name, in any case.</param>
    public FeedConsumer? GetConsumer(string name) =>
        DatabaseConsumers.Parse(GetState(DatabaseConsumers.StateKey)).Find(c => IsNamed(c, name));

    /// <summary>Removes a consumer: nothing is kept for it any more. Its stored position stays.</summary>
    /// <param name="name">Its name, in any case.</param>
    /// <returns>Whether there was one.</returns>
    public bool RemoveConsumer(string name)
    {
        var all = DatabaseConsumers.Parse(GetState(DatabaseConsumers.StateKey));
        if (all.RemoveAll(c => IsNamed(c, name)) == 0)
            return false;
        SetState(DatabaseConsumers.StateKey, DatabaseConsumers.Format(all));
        return true;
    }

    /// <summary>
    /// Removes tombstones up to a position, from a place on: collection by collection, the oldest first. One whose
    /// document has former versions stays, since they hang on it.
    /// </summary>
    /// <returns>How many, and where to continue; collection 0 if nothing is left.</returns>
    internal (int Purged, (int Collection, long After) Next) PurgeTombstones(
        long through,
        (int Collection, long After) from,
        int most
    )
    {
        // The last position's record stays: later positions count from it.
        through = Math.Min(through, LastPosition - 1);
        var collections = _transaction.CreateTree(DatabaseTrees.Collections);
        (var purged, var looked) = (0, 0);
        (int Collection, long After) next = (0, 0);
        for (var number = from.Collection; number <= collections.Count / 2 && next.Collection == 0; number++)
        {
            if (!_transaction.TryOpenTree(DatabaseTrees.Tombstones(number), out var tree) || tree.Count == 0)
                continue;
            var positions = Positions(tree, number == from.Collection ? from.After : 0, through, most - looked);
            foreach (var position in positions)
                purged += PurgeTombstone(position);
            looked += positions.Count;
            if (looked >= most)
                next = (number, positions.Count == 0 ? from.After : positions[^1]);
        }

        if (purged > 0)
        {
            Span<byte> mark = stackalloc byte[8];
            BinaryPrimitives.WriteInt64LittleEndian(
                mark,
                Math.Max(
                    through,
                    GetState(DatabaseConsumers.PurgedKey) is { Length: 8 } former
                        ? BinaryPrimitives.ReadInt64LittleEndian(former)
                        : 0
                )
            );
            SetState(DatabaseConsumers.PurgedKey, mark);
        }

        return (purged, next);
    }

    private static bool IsNamed(FeedConsumer consumer, string name) =>
        consumer.Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    private static List<long> Positions(Tree tree, long after, long through, int most)
    {
        var positions = new List<long>();
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, after + 1);
        using var cursor = tree.OpenCursor();
        for (
            var any = cursor.Seek(key);
            any
                && positions.Count < most
                && DocumentKeys.ReadPosition(cursor.Key) is var position
                && position <= through;
            any = cursor.MoveNext()
        )
        {
            positions.Add(position);
        }

        return positions;
    }

    private bool HasFormerVersions(ReadOnlySpan<byte> idKey)
    {
        if (!_transaction.TryOpenTree(DatabaseTrees.RevisionIds, out var versions))
            return false;
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        using var cursor = versions.OpenCursor();
        return cursor.Seek(key[..RevisionKeys.Write(key, idKey, 0)]) && RevisionKeys.IsOf(cursor.Key, idKey);
    }

    /// <summary>
    /// Removes a tombstone with its record and its entry under the id; removes the id with its last tombstone.
    /// </summary>
    private int PurgeTombstone(long position)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        if (!_documents.TryGet(key, out var bytes))
            return 0;
        var record = new DocumentRecord(bytes, _database.Name);
        if (!record.IsDeleted)
        {
            throw new DatabaseCorruptException(
                _database.Name,
                $"position {position} is among the tombstones and is none"
            );
        }

        Span<byte> idKey = stackalloc byte[DocumentKeys.MaxKeyBytes];
        idKey = idKey[..DocumentKeys.LowerKey(record.Id, idKey)];
        var number = record.CollectionId;
        if (!_ids.TryGet(idKey, out var value))
        {
            throw new DatabaseCorruptException(
                _database.Name,
                $"position {position} is a tombstone whose id is missing"
            );
        }

        var entry = new IdEntry(value, _database.Name);
        var formers = entry.Formers.ToArray();
        var purged = 1;
        if (entry.Position == position)
        {
            if (HasFormerVersions(idKey))
                return 0;

            // Those that it left in other collections are older, so they may go too.
            for (var i = 0; i < formers.Length; i += IdEntry.FormerBytes, purged++)
            {
                Drop(
                    BinaryPrimitives.ReadInt32LittleEndian(formers.AsSpan(i)),
                    BinaryPrimitives.ReadInt64LittleEndian(formers.AsSpan(i + 4))
                );
            }

            _ids.Delete(idKey);
        }
        else
        {
            (var now, var flags, var collection) = (
                entry.Position,
                entry.IsDeleted ? DocumentRecord.Deleted : (byte)0,
                entry.CollectionId
            );
            List<byte> kept = [];
            for (var i = 0; i < formers.Length; i += IdEntry.FormerBytes)
            {
                if (BinaryPrimitives.ReadInt64LittleEndian(formers.AsSpan(i + 4)) != position)
                    kept.AddRange(formers.AsSpan(i, IdEntry.FormerBytes));
            }

            var target = _ids.Reserve(idKey, IdEntry.FixedBytes + kept.Count);
            IdEntry.Write(target, now, flags, collection);
            kept.ToArray().CopyTo(target[IdEntry.FixedBytes..]);
        }

        Drop(number, position);
        return purged;
    }

    private void Drop(int collection, long position)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        _documents.Delete(key);
        Tombstones(collection).Delete(key);
    }
}
