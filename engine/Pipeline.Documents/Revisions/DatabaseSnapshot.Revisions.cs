using System.Diagnostics.CodeAnalysis;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    private Tree? _revisionRecords;
    private Tree? _revisionIds;
    private bool _hasLookedForRevisions;

    /// <summary>The holds that keep versions from being removed.</summary>
    public IReadOnlyList<RevisionHold> GetRevisionHolds()
    {
        CheckOpen();
        var holds = new List<RevisionHold>();
        if (!_transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out Tree? tree)) return holds;
        using TreeCursor cursor = tree.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext()) holds.Add(RevisionHold.Read(cursor.Key, cursor.Value));
        return holds;
    }

    /// <summary>The existing versions of a document, newest first: the current one, or the tombstone if it is deleted, then the former ones.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="start">How many to skip.</param>
    /// <param name="count">How many to read at most.</param>
    /// <returns>The versions, each read when it is asked for; a deletion has <see cref="Document.IsDeleted"/>.</returns>
    public IEnumerable<Document> GetRevisions(string id, long start = 0, long count = long.MaxValue)
    {
        DocumentKeys.CheckId(id);
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        CheckOpen();
        return _ids is null || _documents is null ? [] : ReadRevisions(_ids, _documents, DocumentReading.LowerPrefix(id), start, count);
    }

    /// <summary>The tombstones of documents that still have former versions, in the order of their ids.</summary>
    /// <returns>The tombstones, each read when it is asked for.</returns>
    public IEnumerable<Document> GetDeletedWithRevisions()
    {
        CheckOpen();
        return _ids is null || _documents is null || !OpenRevisions() ? [] : ReadDeleted(_ids, _documents, _revisionIds);
    }

    private IEnumerable<Document> ReadDeleted(Tree ids, Tree documents, Tree revisions)
    {
        using TreeCursor cursor = revisions.OpenCursor();
        for (bool any = cursor.SeekFirst(); any;)
        {
            CheckOpen();
            byte[] key = cursor.Key.ToArray(), idKey = RevisionKeys.IdKey(key).ToArray();
            if (TryGetPosition(ids, idKey, out long current) && ReadVersion(documents, current) is { IsDeleted: true } deleted) yield return deleted;
            DocumentKeys.WritePosition(key.AsSpan(idKey.Length + 1), long.MaxValue);
            any = cursor.Seek(key);
        }
    }

    /// <summary>The number of versions of a document in <see cref="GetRevisions"/>.</summary>
    /// <param name="id">The id, in any case.</param>
    public long CountRevisions(string id)
    {
        DocumentKeys.CheckId(id);
        CheckOpen();
        byte[] idKey = DocumentReading.LowerPrefix(id);
        if (_ids is null || !_ids.Contains(idKey)) return 0;
        if (!OpenRevisions()) return 1;
        using TreeCursor cursor = _revisionIds.OpenCursor();
        if (!SeekNewest(cursor, idKey, long.MaxValue)) return 1;
        long newest = RevisionEntry.Read(cursor.Value, _database.Name).Ordinal;
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        cursor.Seek(key[..RevisionKeys.Write(key, idKey, 0)]);
        return newest - RevisionEntry.Read(cursor.Value, _database.Name).Ordinal + 2;
    }

    /// <summary>Reads a version by its position, be it the current one of its document or not.</summary>
    /// <param name="position">The position.</param>
    /// <param name="document">A copy of the version or the tombstone.</param>
    /// <returns><see langword="false"/> if it was not kept, or is no longer kept.</returns>
    public bool TryGetRevision(long position, [NotNullWhen(true)] out Document? document)
    {
        if (TryGetByPosition(position, out document)) return true;
        if (position > 0 && OpenRevisions()) document = DocumentReading.Read(_database, _transaction, _revisionRecords, position);
        return document is not null;
    }

    /// <summary>Reads a version by its change vector.</summary>
    /// <param name="changeVector">The change vector.</param>
    /// <param name="document">A copy of the version or the tombstone.</param>
    /// <returns><see langword="false"/> if it was not kept, is no longer kept, or belongs to another database.</returns>
    public bool TryGetRevision(string changeVector, [NotNullWhen(true)] out Document? document)
    {
        document = null;
        return ChangeVector.TryParse(changeVector, out long position) && TryGetRevision(position, out document) && document.ChangeVector == changeVector;
    }

    /// <summary>Reads the version of a document at a time, by the database's clock.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="time">The time.</param>
    /// <param name="document">The version that was current then, or the tombstone; null if it is unknown or there was none.</param>
    /// <returns>Whether one is known: <see langword="false"/> before the first version, and if the version of that time was not kept.</returns>
    public bool TryGetRevisionAt(string id, DateTimeOffset time, [NotNullWhen(true)] out Document? document)
    {
        DocumentKeys.CheckId(id);
        CheckOpen();
        document = null;
        byte[] idKey = DocumentReading.LowerPrefix(id);
        if (_ids is null || _documents is null || !_ids.TryGet(idKey, out ReadOnlySpan<byte> value)) return false;
        Document current = ReadVersion(_documents, new IdEntry(value, _database.Name).Position);
        if (current.LastModified <= time)
        {
            document = current;
            return true;
        }

        if (!OpenRevisions()) return false;
        using TreeCursor cursor = _revisionIds.OpenCursor();
        for (bool any = SeekNewest(cursor, idKey, long.MaxValue); any && RevisionKeys.IsOf(cursor.Key, idKey); any = cursor.MovePrevious())
        {
            if (RevisionEntry.Read(cursor.Value, _database.Name).EndTicks <= time.UtcTicks) return false;
            Document version = ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
            if (version.LastModified > time) continue;
            document = version;
            return true;
        }

        return false;
    }

    /// <summary>Reads the version of a document before a change.</summary>
    /// <param name="change">A change that is in the snapshot.</param>
    /// <param name="previous">A copy of the version before; null if there was none, or it is unknown.</param>
    /// <returns>
    /// Whether the state before is known. With <see langword="true"/> and null, the change created the document, for the first time or after a deletion.
    /// </returns>
    public bool TryGetPrevious(in Change change, out Document? previous)
    {
        CheckOpen();
        previous = null;
        byte[] idKey = DocumentReading.LowerPrefix(change.Id);
        if (OpenRevisions())
        {
            using TreeCursor cursor = _revisionIds.OpenCursor();
            if (SeekNewest(cursor, idKey, change.Position))
            {
                // A document that leaves its collection has two positions: that of leaving, and that in the next collection, which replaces it.
                long successor = RevisionEntry.Read(cursor.Value, _database.Name).Successor;
                if (successor == change.Position || (change.Kind == ChangeKind.Leave && successor == change.Position + 1))
                {
                    Document before = ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
                    previous = before.IsDeleted ? null : before;
                    return true;
                }
            }
        }

        return !change.IsDeleted && !HasFormer(change.Position);
    }

    private bool HasFormer(long position)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        bool found = _documents!.TryGet(key, out ReadOnlySpan<byte> record) || (OpenRevisions() && _revisionRecords.TryGet(key, out record));
        return !found || new DocumentRecord(record, _database.Name).HasFormer;
    }

    private IEnumerable<Document> ReadRevisions(Tree ids, Tree documents, byte[] idKey, long start, long count)
    {
        if (!TryGetPosition(ids, idKey, out long current) || count == 0) yield break;
        if (start > 0) start--;
        else
        {
            yield return ReadVersion(documents, current);
            count--;
        }

        if (!OpenRevisions()) yield break;
        using TreeCursor cursor = _revisionIds.OpenCursor();
        for (bool any = SeekNewest(cursor, idKey, long.MaxValue); any && count > 0 && RevisionKeys.IsOf(cursor.Key, idKey); any = cursor.MovePrevious())
        {
            CheckOpen();
            if (start-- > 0) continue;
            yield return ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
            count--;
        }
    }

    private bool TryGetPosition(Tree ids, byte[] idKey, out long position)
    {
        bool found = ids.TryGet(idKey, out ReadOnlySpan<byte> value);
        position = found ? new IdEntry(value, _database.Name).Position : 0;
        return found;
    }

    private Document ReadVersion(Tree tree, long position) => DocumentReading.Read(_database, _transaction, tree, position)
        ?? throw new DatabaseCorruptException(_database.Name, $"an id leads to the version at position {position}, which has no record");

    /// <summary>Goes to the newest kept version of an id before a position.</summary>
    private static bool SeekNewest(TreeCursor cursor, ReadOnlySpan<byte> idKey, long before)
    {
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        return cursor.SeekBefore(key[..RevisionKeys.Write(key, idKey, before)]) && RevisionKeys.IsOf(cursor.Key, idKey);
    }

    [MemberNotNullWhen(true, nameof(_revisionRecords), nameof(_revisionIds))]
    private bool OpenRevisions()
    {
        if (!_hasLookedForRevisions)
        {
            _hasLookedForRevisions = true;
            if (_transaction.TryOpenTree(DatabaseTrees.Revisions, out _revisionRecords)) _transaction.TryOpenTree(DatabaseTrees.RevisionIds, out _revisionIds);
        }

        return _revisionRecords is not null && _revisionIds is not null;
    }
}
