namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    private RevisionWriter? _revisionWriter;
    private bool _hasBegunRevisions;

    /// <summary>Keeps versions in this transaction; null where the database keeps none.</summary>
    private RevisionWriter? Revisions
    {
        get
        {
            if (!_hasBegunRevisions)
            {
                _hasBegunRevisions = true;
                _atEnd = _revisionWriter = _database.Revisions.Begin(_transaction, _ticks);
            }

            return _revisionWriter;
        }
    }

    /// <summary>
    /// Keeps versions from being removed, for a consumer that reads them in order: those after a position, and the one
    /// before each of these. Replaces an earlier hold of the name. Durable with the commit, until
    /// <see cref="ReleaseRevisions"/>.
    /// </summary>
    /// <param name="name">The consumer: 1 to 512 bytes of UTF-8.</param>
    /// <param name="position">The position up to which it has read.</param>
    /// <param name="collections">The collections that it reads; null or empty for all.</param>
    public void HoldRevisions(string name, long position, IReadOnlyList<string>? collections = null)
    {
        CheckOpen();
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        _transaction
            .CreateTree(DatabaseTrees.RevisionHolds)
            .Put(DocumentReading.StateKey(name), new RevisionHold(name, position, collections ?? []).ToBytes());
        Revisions?.ForgetHolds();
    }

    /// <summary>Ends a hold.</summary>
    /// <param name="name">Who read.</param>
    /// <returns>Whether there was one.</returns>
    public bool ReleaseRevisions(string name)
    {
        CheckOpen();
        Revisions?.ForgetHolds();
        return _transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out _)
            && _transaction.CreateTree(DatabaseTrees.RevisionHolds).Delete(DocumentReading.StateKey(name));
    }

    /// <summary>Keeps the version that a put replaces, whatever its collection's policy is.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    private void KeepForced(ReadOnlySpan<byte> idKey, IdEntry entry, int number, string? id)
    {
        if (entry.IsDeleted)
            throw NothingToKeep(id);
        var key = idKey.ToArray();
        if (IsKept(key, entry.Position))
            return;
        Span<byte> oldKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(oldKey, entry.Position);
        if (!_documents.TryGet(oldKey, out var record))
            throw Missing(entry.Position, id);
        using var revisions = new RevisionWriter(_database, _transaction, RevisionConfiguration.None, _ticks);
        revisions.Add(
            key,
            entry.CollectionId,
            entry.Position,
            record,
            LastPosition + (entry.CollectionId != number ? 2 : 1)
        );
    }

    private static InvalidOperationException NothingToKeep(string? id) =>
        new($"Can't force revision creation - the document was not saved on the server yet: there is no '{id}'.");

    /// <summary>
    /// Whether the current version is one that <see cref="KeepRevision"/> made, so that its content is kept already.
    /// </summary>
    private bool IsKept(byte[] idKey, long position)
    {
        if (
            !_transaction.TryOpenTree(DatabaseTrees.RevisionIds, out var ids)
            || !_transaction.TryOpenTree(DatabaseTrees.Revisions, out var records)
        )
        {
            return false;
        }

        using var cursor = ids.OpenCursor();
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        if (
            !cursor.SeekBefore(key[..RevisionKeys.Write(key, idKey, long.MaxValue)])
            || !RevisionKeys.IsOf(cursor.Key, idKey)
        )
        {
            return false;
        }

        if (RevisionEntry.Read(cursor.Value, _database.Name).Successor != position)
            return false;
        var former = DocumentReading.Read(_database, _transaction, records, RevisionKeys.Position(cursor.Key));
        var current = DocumentReading.Read(_database, _transaction, _documents, position);
        return former is { IsDeleted: false }
            && current is not null
            && former.Body.Data.Span.SequenceEqual(current.Body.Data.Span);
    }

    /// <summary>Keeps the version, or deletion, that a put is about to replace.</summary>
    private bool KeepFormer(RevisionWriter revisions, ReadOnlySpan<byte> idKey, IdEntry entry, int number)
    {
        Span<byte> oldKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(oldKey, entry.Position);
        if (!_documents.TryGet(oldKey, out var record))
            throw Missing(entry.Position, null);

        // To leave a collection takes a position, too.
        var leaves = entry.CollectionId != number && !entry.IsDeleted;
        return revisions.Keep(idKey, entry.CollectionId, entry.Position, record, LastPosition + (leaves ? 2 : 1));
    }

    /// <summary>Removes about this many surplus versions of documents.</summary>
    /// <returns>How many were removed, and the first id that is not done.</returns>
    internal (int Removed, int Next) TrimRevisions(
        (byte[] IdKey, int Collection, bool IsDeleted)[] ids,
        int from,
        int most
    )
    {
        var removed = 0;
        var revisions = Revisions;
        for (var i = from; i < ids.Length && revisions is not null; i++)
        {
            // The document may have changed since it was examined.
            var entry = _ids.TryGet(ids[i].IdKey, out var value)
                ? new IdEntry(value, _database.Name)
                : throw Missing(0, System.Text.Encoding.UTF8.GetString(ids[i].IdKey));
            (var some, var hasMore) = revisions.Trim(ids[i].IdKey, entry.CollectionId, entry.IsDeleted, most - removed);
            removed += some;
            if (hasMore || removed >= most)
                return (removed, hasMore ? i : i + 1);
        }

        return (removed, ids.Length);
    }
}
