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
        if (!_transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out var tree))
            return holds;
        using var cursor = tree.OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            holds.Add(RevisionHold.Read(cursor.Key, cursor.Value));
        return holds;
    }

    /// <summary>
    /// The existing versions of a document, newest first: the current one, or the tombstone if it is deleted, then the
    /// former ones.
    /// </summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="start">How many to skip.</param>
    /// <param name="count">How many to read at most.</param>
    /// <returns>
    /// The versions, each read when it is asked for; a deletion has <see cref="Document.IsDeleted"/>.
    /// </returns>
    public IEnumerable<Document> GetRevisions(string id, long start = 0, long count = long.MaxValue)
    {
        DocumentKeys.CheckId(id);
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        CheckOpen();
        return _ids is null || _documents is null
            ? []
            : ReadRevisions(_ids, _documents, DocumentKeys.LowerPrefix(id), start, count);
    }

    /// <summary>The tombstones of documents that still have former versions, in the order of their ids.</summary>
    /// <returns>The tombstones, each read when it is asked for.</returns>
    public IEnumerable<Document> GetDeletedWithRevisions()
    {
        CheckOpen();
        return _ids is null || _documents is null || !OpenRevisions()
            ? []
            : ReadDeleted(_ids, _documents, _revisionIds);
    }

    private IEnumerable<Document> ReadDeleted(Tree ids, Tree documents, Tree revisions)
    {
        using var cursor = revisions.OpenCursor();
        for (var any = cursor.SeekFirst(); any; )
        {
            CheckOpen();
            byte[] key = cursor.Key.ToArray(),
                idKey = RevisionKeys.IdKey(key).ToArray();
            if (
                TryGetPosition(ids, idKey, out var current)
                && ReadVersion(documents, current) is { IsDeleted: true } deleted
            )
            {
                yield return deleted;
            }

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
        var idKey = DocumentKeys.LowerPrefix(id);
        if (_ids is null || !_ids.Contains(idKey))
            return 0;
        if (!OpenRevisions())
            return 1;
        using var cursor = _revisionIds.OpenCursor();
        if (!SeekNewest(cursor, idKey, long.MaxValue))
            return 1;
        var newest = RevisionEntry.Read(cursor.Value, _database.Name).Ordinal;
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
        if (TryGetByPosition(position, out document))
            return true;
        if (position > 0 && OpenRevisions())
            document = DocumentReading.Read(_database, _transaction, _revisionRecords, position);
        return document is not null;
    }

    /// <summary>Reads a version by its change vector.</summary>
    /// <param name="changeVector">The change vector.</param>
    /// <param name="document">A copy of the version or the tombstone.</param>
    /// <returns>
    /// <see langword="false"/> if it was not kept, is no longer kept, or belongs to another database.
    /// </returns>
    public bool TryGetRevision(string changeVector, [NotNullWhen(true)] out Document? document)
    {
        document = null;
        return ChangeVector.TryParse(changeVector, out var position)
            && TryGetRevision(position, out document)
            && document.ChangeVector == changeVector;
    }

    /// <summary>Reads the version of a document at a time, by the database's clock.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="time">The time.</param>
    /// <param name="document">
    /// The version that was current then, or the tombstone; null if it is unknown or there was none.
    /// </param>
    /// <returns>
    /// Whether one is known: <see langword="false"/> before the first version, and if the version of that time was not
    /// kept.
    /// </returns>
    public bool TryGetRevisionAt(string id, DateTimeOffset time, [NotNullWhen(true)] out Document? document)
    {
        DocumentKeys.CheckId(id);
        CheckOpen();
        document = null;
        var idKey = DocumentKeys.LowerPrefix(id);
        if (_ids is null || _documents is null || !_ids.TryGet(idKey, out var value))
            return false;
        var current = ReadVersion(_documents, new IdEntry(value, _database.Name).Position);
        if (current.LastModified <= time)
        {
            document = current;
            return true;
        }

        if (!OpenRevisions())
            return false;
        using var cursor = _revisionIds.OpenCursor();
        for (
            var any = SeekNewest(cursor, idKey, long.MaxValue);
            any && RevisionKeys.IsOf(cursor.Key, idKey);
            any = cursor.MovePrevious()
        )
        {
            if (RevisionEntry.Read(cursor.Value, _database.Name).EndTicks <= time.UtcTicks)
                return false;
            var version = ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
            if (version.LastModified > time)
                continue;
            document = version;
            return true;
        }

        return false;
    }

    /// <summary>Reads the version of a document before a change.</summary>
    /// <param name="change">A change that is in the snapshot.</param>
    /// <param name="previous">A copy of the version before; null if there was none, or it is unknown.</param>
    /// <returns>
    /// Whether the state before is known. With <see langword="true"/> and null, the change created the document, for
    /// the first time or after a deletion.
    /// </returns>
    public bool TryGetPrevious(in Change change, out Document? previous)
    {
        CheckOpen();
        previous = null;
        var idKey = DocumentKeys.LowerPrefix(change.Id);
        if (OpenRevisions())
        {
            using var cursor = _revisionIds.OpenCursor();
            if (SeekNewest(cursor, idKey, change.Position))
            {
                // A document that leaves its collection has two positions: that of leaving, and that in the next
                // collection, which replaces it.
                var successor = RevisionEntry.Read(cursor.Value, _database.Name).Successor;
                if (
                    successor == change.Position
                    || (change.Kind == ChangeKind.Leave && successor == change.Position + 1)
                )
                {
                    var before = ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
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
        var found =
            _documents!.TryGet(key, out var record) || (OpenRevisions() && _revisionRecords.TryGet(key, out record));
        return !found || new DocumentRecord(record, _database.Name).HasFormer;
    }

    private IEnumerable<Document> ReadRevisions(Tree ids, Tree documents, byte[] idKey, long start, long count)
    {
        if (!TryGetPosition(ids, idKey, out var current) || count == 0)
            yield break;
        if (start > 0)
        {
            start--;
        }
        else
        {
            yield return ReadVersion(documents, current);
            count--;
        }

        if (!OpenRevisions())
            yield break;
        using var cursor = _revisionIds.OpenCursor();
        for (
            var any = SeekNewest(cursor, idKey, long.MaxValue);
            any && count > 0 && RevisionKeys.IsOf(cursor.Key, idKey);
            any = cursor.MovePrevious()
        )
        {
            CheckOpen();
            if (start-- > 0)
                continue;
            yield return ReadVersion(_revisionRecords, RevisionKeys.Position(cursor.Key));
            count--;
        }
    }

    private bool TryGetPosition(Tree ids, byte[] idKey, out long position)
    {
        var found = ids.TryGet(idKey, out var value);
        position = found ? new IdEntry(value, _database.Name).Position : 0;
        return found;
    }

    private Document ReadVersion(Tree tree, long position) =>
        DocumentReading.Read(_database, _transaction, tree, position)
        ?? throw new DatabaseCorruptException(
            _database.Name,
            $"an id refers to the version at position {position}, which has no record"
        );

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
            if (_transaction.TryOpenTree(DatabaseTrees.Revisions, out _revisionRecords))
                _transaction.TryOpenTree(DatabaseTrees.RevisionIds, out _revisionIds);
        }

        return _revisionRecords is not null && _revisionIds is not null;
    }
}
