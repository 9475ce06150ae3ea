using Pipeline.Storage;

namespace Pipeline.Database;

public sealed partial class DocumentTransaction
{
    private readonly RevisionWriter? _revisions;

    /// <summary>
    /// Keeps versions from being removed for one who reads them in order: those after a position, and the one before each of these. Replaces an earlier hold of the name. Durable
    /// with the commit, until <see cref="ReleaseRevisions"/>.
    /// </summary>
    /// <param name="name">Who reads: 1 to 512 bytes of UTF-8.</param>
    /// <param name="position">How far they have come.</param>
    /// <param name="collections">Which collections they read; null or empty for all.</param>
    public void HoldRevisions(string name, long position, IReadOnlyList<string>? collections = null)
    {
        CheckOpen();
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        _transaction.CreateTree(DatabaseTrees.RevisionHolds).Put(DocumentReading.StateKey(name), new RevisionHold(name, position, collections ?? []).ToBytes());
        _revisions?.ForgetHolds();
    }

    /// <summary>Ends a hold.</summary>
    /// <param name="name">Who read.</param>
    /// <returns>Whether there was one.</returns>
    public bool ReleaseRevisions(string name)
    {
        CheckOpen();
        _revisions?.ForgetHolds();
        return _transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out _) && _transaction.CreateTree(DatabaseTrees.RevisionHolds).Delete(DocumentReading.StateKey(name));
    }

    /// <summary>Keeps the version, or deletion, that a put is about to replace.</summary>
    private bool KeepFormer(RevisionWriter revisions, ReadOnlySpan<byte> idKey, IdEntry entry, int number)
    {
        Span<byte> oldKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(oldKey, entry.Position);
        if (!_documents.TryGet(oldKey, out ReadOnlySpan<byte> record)) throw Missing(entry.Position, null);

        // To leave a collection takes a position, too.
        bool leaves = entry.CollectionId != number && !entry.IsDeleted;
        return revisions.Keep(idKey, entry.CollectionId, entry.Position, record, LastPosition + (leaves ? 2 : 1));
    }

    /// <summary>Removes versions of documents that are not wanted any more, about so many.</summary>
    /// <returns>How many were removed, and the first id that is not done.</returns>
    internal (int Removed, int Next) TrimRevisions((byte[] IdKey, int Collection, bool IsDeleted)[] ids, int from, int most)
    {
        int removed = 0;
        for (int i = from; i < ids.Length && _revisions is not null; i++)
        {
            // The document may have changed since it was looked at.
            var entry = _ids.TryGet(ids[i].IdKey, out ReadOnlySpan<byte> value) ? new IdEntry(value, _database.Name) : throw Missing(0, System.Text.Encoding.UTF8.GetString(ids[i].IdKey));
            (int some, bool hasMore) = _revisions.Trim(ids[i].IdKey, entry.CollectionId, entry.IsDeleted, most - removed);
            removed += some;
            if (hasMore || removed >= most) return (removed, hasMore ? i : i + 1);
        }

        return (removed, ids.Length);
    }
}
