using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Keeps and removes versions within a write transaction. There is one only where the database keeps any.
/// </summary>
internal sealed class RevisionWriter : IDisposable
{
    /// <summary>
    /// Versions that one write of a document removes, at most, so that a write stays short; the rest waits for the next
    /// one or for the upkeep.
    /// </summary>
    private const int MaxRemovedPerWrite = 64;

    private readonly DocumentStorage _database;
    private readonly WriteTransaction _transaction;
    private readonly RevisionConfiguration _configuration;
    private readonly long _ticks;
    private Tree? _records;
    private Tree? _ids;
    private TreeCursor? _cursor;
    private Dictionary<int, Tree>? _collections;
    private int _knownNumber;
    private RevisionPolicy? _knownPolicy;
    private List<RevisionHold>? _holds;

    internal RevisionWriter(
        DocumentStorage database,
        WriteTransaction transaction,
        RevisionConfiguration configuration,
        long ticks
    ) => (_database, _transaction, _configuration, _ticks) = (database, transaction, configuration, ticks);

    public void Dispose() => _cursor?.Dispose();

    /// <summary>
    /// Keeps the record of a version that is about to be removed from the documents, if its collection keeps versions.
    /// </summary>
    /// <returns>Whether it was kept.</returns>
    internal bool Keep(
        ReadOnlySpan<byte> idKey,
        int collection,
        long position,
        ReadOnlySpan<byte> record,
        long successor
    )
    {
        if (Policy(collection) is not { Enabled: true })
            return false;
        Add(idKey, collection, position, record, successor);
        return true;
    }

    /// <summary>As <see cref="Keep"/>, whether or not its collection keeps versions.</summary>
    internal void Add(
        ReadOnlySpan<byte> idKey,
        int collection,
        long position,
        ReadOnlySpan<byte> record,
        long successor
    )
    {
        Open();
        Span<byte> positionKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(positionKey, position);
        record.CopyTo(_records!.Reserve(positionKey, record.Length));
        Of(collection).Put(positionKey, default);
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        key = key[..RevisionKeys.Write(key, idKey, position)];
        var ordinal = _cursor!.SeekBefore(key) && RevisionKeys.IsOf(_cursor.Key, idKey) ? Entry().Ordinal + 1 : 1;
        new RevisionEntry(collection, ordinal, _ticks, successor).Write(_ids!.Reserve(key, RevisionEntry.Bytes));
    }

    /// <summary>Whether a deletion in the collection removes the versions.</summary>
    internal bool PurgesOnDelete(int collection) => Policy(collection) is { Purges: true };

    /// <summary>Removes the oldest versions of an id that are not wanted any more.</summary>
    /// <param name="idKey">The id in lower case.</param>
    /// <param name="collection">The number of the collection that the document is, or was, in.</param>
    /// <param name="isDeleted">Whether it is deleted.</param>
    /// <param name="most">How many at most; a purge continues to the end.</param>
    /// <returns>How many were removed, and whether it stopped at <paramref name="most"/>.</returns>
    internal (int Removed, bool HasMore) Trim(
        ReadOnlySpan<byte> idKey,
        int collection,
        bool isDeleted,
        int most = MaxRemovedPerWrite
    )
    {
        if (Policy(collection) is not { } policy || (!policy.Removes && !policy.Purges))
            return default;
        Open();
        Span<byte> key = stackalloc byte[RevisionKeys.MaxBytes];
        key = key[..RevisionKeys.Write(key, idKey, long.MaxValue)];
        if (!_cursor!.SeekBefore(key) || !RevisionKeys.IsOf(_cursor.Key, idKey))
            return default;
        var newest = Entry().Ordinal;
        var purges = policy.Purges && isDeleted;
        var removed = 0;
        while (true)
        {
            DocumentKeys.WritePosition(key[^DocumentKeys.PositionBytes..], 0);
            if (!_cursor.Seek(key) || !RevisionKeys.IsOf(_cursor.Key, idKey))
                break;
            var oldest = Entry();
            if (!purges && !IsOver(policy, newest - oldest.Ordinal + 2, oldest, _ticks))
                break;
            if (oldest.Successor > HeldFrom(collection, oldest.CollectionId))
                break;
            if (!purges && removed == most)
                return (removed, true);
            RevisionKeys.Write(key, idKey, RevisionKeys.Position(_cursor.Key));
            ReadOnlySpan<byte> positionKey = key[^DocumentKeys.PositionBytes..];
            _ids!.Delete(key);
            _records!.Delete(positionKey);
            Of(oldest.CollectionId).Delete(positionKey);
            removed++;
        }

        return (removed, false);
    }

    /// <summary>Whether a policy does not want a version any more.</summary>
    /// <param name="policy">The policy.</param>
    /// <param name="count">The versions of the document from this one on, the current one included.</param>
    /// <param name="entry">The version.</param>
    /// <param name="now">The time in ticks.</param>
    internal static bool IsOver(RevisionPolicy policy, long count, in RevisionEntry entry, long now) =>
        policy.Removes
        && (policy.Keep is not { } keep || count > keep)
        && (policy.Age is not { } age || now - entry.EndTicks >= age.Ticks);

    internal void ForgetHolds() => _holds = null;

    private long HeldFrom(int current, int former)
    {
        if (_holds is null)
        {
            _holds = [];
            if (_transaction.TryOpenTree(DatabaseTrees.RevisionHolds, out var tree))
            {
                using var cursor = tree.OpenCursor();
                for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                    _holds.Add(RevisionHold.Read(cursor.Key, cursor.Value));
            }
        }

        var least = long.MaxValue;
        foreach (var hold in _holds)
        {
            if (hold.IsOf(Name(current)) || (former != current && hold.IsOf(Name(former))))
                least = Math.Min(least, hold.Position);
        }

        return least;
    }

    private RevisionPolicy? Policy(int collection)
    {
        if (collection == _knownNumber)
            return _knownPolicy;
        _knownPolicy = _configuration.Find(Name(collection));
        _knownNumber = collection;
        return _knownPolicy;
    }

    private string Name(int collection) =>
        CollectionNames.Name(collection, _transaction, _database.Collections, _database.Name);

    private RevisionEntry Entry() => RevisionEntry.Read(_cursor!.Value, _database.Name);

    private void Open()
    {
        if (_ids is not null)
            return;
        _records = _transaction.CreateTree(DatabaseTrees.Revisions);
        _ids = _transaction.CreateTree(DatabaseTrees.RevisionIds);
        _cursor = _ids.OpenCursor();
    }

    private Tree Of(int collection)
    {
        _collections ??= [];
        if (_collections.TryGetValue(collection, out var tree))
            return tree;
        return _collections[collection] = _transaction.CreateTree(DatabaseTrees.RevisionsOf(collection));
    }
}
