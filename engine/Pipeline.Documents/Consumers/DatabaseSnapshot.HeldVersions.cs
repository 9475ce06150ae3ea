using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>One of <see cref="GetRevisionHolds"/>; null if there is none of this name.</summary>
    internal RevisionHold? FindRevisionHold(string name) =>
        _transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out var tree)
        && DocumentReading.StateKey(name) is var key
        && tree.TryGet(key, out var value)
            ? RevisionHold.Read(key, value)
            : null;

    /// <summary>
    /// Versions that stay because of a hold alone: what replaced them lies behind its position, and the policy does not
    /// want them any more. Counted, and beyond some thousands estimated, as
    /// <see cref="MeasureChanges"/> does it.
    /// </summary>
    internal ChangeBacklog MeasureHeldVersions(RevisionHold hold, RevisionConfiguration configuration, long now)
    {
        CheckOpen();
        if (_documents is null || _ids is null || hold.Position >= LastPosition || !OpenRevisions())
            return ChangeBacklog.None;
        (var ids, var records) = (_ids, _revisionRecords);
        var sum = new Sum();
        using TreeCursor documents = _documents.OpenCursor(),
            versions = records.OpenCursor(),
            kept = _revisionIds.OpenCursor();
        if (hold.Collections.Count == 0)
        {
            Measure(documents, hold.Position, sum, (c, s) => AddReplaced(c.Key, c.Value, s));
            Measure(versions, hold.Position, sum, (c, s) => AddReplaced(c.Key, c.Value, s));
        }

        foreach (var collection in hold.Collections)
        {
            if (!TryFindCollection(collection, out var number))
                continue;
            MeasureReplaced(DatabaseTrees.Live(number), documents);
            MeasureReplaced(DatabaseTrees.Tombstones(number), documents);
            MeasureReplaced(DatabaseTrees.RevisionsOf(number), versions);
        }

        return sum.ToBacklog();

        void MeasureReplaced(string name, TreeCursor place)
        {
            if (!_transaction.TryOpenTree(name, out var tree))
                return;
            using var cursor = tree.OpenCursor();
            Measure(cursor, hold.Position, sum, (c, s) => place.Seek(c.Key) && AddReplaced(place.Key, place.Value, s));
        }

        // Each version has one that replaced it, so that it is found once, from there.
        bool AddReplaced(ReadOnlySpan<byte> positionKey, ReadOnlySpan<byte> bytes, Sum into)
        {
            var record = new DocumentRecord(bytes, _database.Name);
            var position = DocumentKeys.ReadPosition(positionKey);
            Span<byte> idKey = stackalloc byte[DocumentKeys.MaxKeyBytes];
            idKey = idKey[..DocumentKeys.LowerKey(record.Id, idKey)];
            if (!SeekNewest(kept, idKey, position))
                return false;
            var entry = RevisionEntry.Read(kept.Value, _database.Name);
            if (entry.Successor != position && !(record.IsMoved && entry.Successor == position + 1))
                return false;
            var replaced = RevisionKeys.Position(kept.Key);
            SeekNewest(kept, idKey, long.MaxValue);
            var newest = RevisionEntry.Read(kept.Value, _database.Name).Ordinal;
            if (!ids.TryGet(idKey, out var value))
                return false;
            var current = new IdEntry(value, _database.Name);
            var policy = configuration.Find(
                CollectionNames.Name(current.CollectionId, _transaction, _database.Collections, _database.Name)
            );
            if (
                policy is null
                || !(
                    (policy.Purges && current.IsDeleted)
                    || RevisionWriter.IsOver(policy, newest - entry.Ordinal + 2, entry, now)
                )
            )
            {
                return false;
            }

            Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
            DocumentKeys.WritePosition(key, replaced);
            into.Add(entry.EndTicks, records.TryGet(key, out var version) ? version.Length : 0, isTombstone: false);
            return true;
        }
    }
}
