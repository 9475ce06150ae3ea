using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The state of the database after one commit, unaffected by later writes until it is disposed. Never blocks a
/// writer.
/// </summary>
/// <remarks>
/// Not thread-safe; open one for each thread, it costs little. Dispose of it soon: space that its versions take is not
/// used again while it is open.
/// </remarks>
public sealed partial class DatabaseSnapshot : IDisposable
{
    private readonly DocumentStorage _database;
    private readonly ReadTransaction _transaction;
    private readonly Tree? _documents;
    private readonly Tree? _ids;
    private bool _disposed;

    internal DatabaseSnapshot(DocumentStorage database, ReadTransaction transaction)
    {
        _database = database;
        _transaction = transaction;
        if (transaction.TryOpenTree(DatabaseTrees.Documents, out var documents))
            _documents = documents;
        if (transaction.TryOpenTree(DatabaseTrees.Ids, out var ids))
            _ids = ids;
        LastPosition = DatabasePositions.Last(transaction);
    }

    /// <summary>
    /// The position of the last change in the snapshot; every change up to it is visible. 0 before the first.
    /// </summary>
    public long LastPosition { get; }

    /// <summary>The storage's transaction, which the snapshot owns.</summary>
    internal ReadTransaction Stored => _transaction;

    /// <summary>The database's clock.</summary>
    internal DateTimeOffset Now => _database.UtcNow;

    /// <summary>Reads a document.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="document">A copy of the document.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGet(string id, [NotNullWhen(true)] out Document? document)
    {
        CheckOpen();
        document = null;
        if (_ids is null || _documents is null)
            DocumentKeys.CheckId(id);
        return _ids is not null
            && _documents is not null
            && DocumentReading.TryGet(_database, _transaction, _ids, _documents, id, out document);
    }

    /// <summary>Reads the document that a value names.</summary>
    /// <param name="value">What should be an id, in any case.</param>
    /// <returns>A copy of the document; null if it does not exist or the value is not a valid id.</returns>
    public Document? Find(string? value)
    {
        try
        {
            return string.IsNullOrEmpty(value) || !TryGet(value, out var document) ? null : document;
        }
        catch (InvalidDocumentIdException)
        {
            // A value that cannot be an id names no document.
            return null;
        }
    }

    /// <summary>Reads the change at a position.</summary>
    /// <param name="position">The position.</param>
    /// <param name="document">A copy of the version or tombstone at this position.</param>
    /// <returns><see langword="false"/> if no version or tombstone has this position any more.</returns>
    public bool TryGetByPosition(long position, [NotNullWhen(true)] out Document? document)
    {
        CheckOpen();
        document =
            _documents is null || position <= 0
                ? null
                : DocumentReading.Read(_database, _transaction, _documents, position);
        return document is not null;
    }

    /// <summary>Reads the documents whose ids begin with a text, in order of the lower-case ids' bytes.</summary>
    /// <param name="prefix">What the ids begin with, in any case; empty for all documents.</param>
    /// <param name="startAfter">An id to begin after; null for the first.</param>
    /// <returns>The documents, each read when it is asked for.</returns>
    public IEnumerable<Document> GetByPrefix(string prefix, string? startAfter = null)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        CheckOpen();
        return _ids is null || _documents is null ? [] : ReadByPrefix(_ids, _documents, prefix, startAfter, 0);
    }

    /// <summary>Reads documents in order of the lower-case ids' bytes.</summary>
    /// <param name="collection">Only this collection, in any case; null for all.</param>
    /// <returns>The documents, each read when it is asked for.</returns>
    public IEnumerable<Document> GetInIdOrder(string? collection = null)
    {
        return ReadInIdOrder(collection, forget: false);
    }

    /// <summary>Reads the documents of a collection in order of position.</summary>
    /// <param name="collection">The collection, in any case.</param>
    /// <param name="after">The position to begin after.</param>
    /// <returns>The documents, each read when it is asked for.</returns>
    public IEnumerable<Document> GetByCollection(string collection, long after = 0)
    {
        ArgumentNullException.ThrowIfNull(collection);
        CheckOpen();
        return
            _documents is null
            || !TryFindCollection(collection, out var number)
            || !_transaction.TryOpenTree(DatabaseTrees.Live(number), out var live)
            ? []
            : ReadByCollection(live, _documents, after);
    }

    /// <summary>
    /// Returns how many documents a collection has and the position of its newest. Two equal results mean equal
    /// contents: a position is assigned once, so an addition is newer than all before, and a set of positions with the
    /// same last one and as many members is the same set.
    /// </summary>
    internal (long Documents, long Newest) GetContents(string collection)
    {
        CheckOpen();
        if (
            !TryFindCollection(collection, out var number)
            || !_transaction.TryOpenTree(DatabaseTrees.Live(number), out var live)
        )
        {
            return default;
        }

        using var cursor = live.OpenCursor();
        return cursor.SeekLast() ? (live.Count, DocumentKeys.ReadPosition(cursor.Key)) : default;
    }

    /// <summary>Reads the documents in falling order of position: what changed last comes first.</summary>
    /// <returns>The documents, each read when it is asked for.</returns>
    public IEnumerable<Document> GetNewestFirst()
    {
        CheckOpen();
        return _documents is null ? [] : ReadNewestFirst(_documents);
    }

    /// <summary>The bytes under a private name; see <see cref="DocumentTransaction.SetState"/>.</summary>
    /// <param name="key">The name.</param>
    /// <returns>A copy; null if there are none.</returns>
    public byte[]? GetState(string key)
    {
        CheckOpen();
        return DocumentReading.GetState(_transaction, key);
    }

    /// <summary>
    /// The private names that begin with a text, in the order of their bytes; see
    /// <see cref="DocumentTransaction.SetState"/>.
    /// </summary>
    /// <param name="prefix">What they begin with.</param>
    /// <param name="after">The name to begin after; null for the first.</param>
    /// <returns>Names and copies of their bytes, each read when it is asked for.</returns>
    public IEnumerable<KeyValuePair<string, byte[]>> GetStates(string prefix, string? after = null)
    {
        CheckOpen();
        return DocumentReading.GetStates(_transaction, prefix, after);
    }

    /// <summary>Counts documents and tombstones.</summary>
    /// <returns>The figures; the size on disk is that of now.</returns>
    public DatabaseStatistics GetStatistics()
    {
        CheckOpen();
        long documents = 0,
            tombstones = 0,
            revisions = 0;
        var collections = new List<CollectionStatistics>();
        if (_transaction.TryOpenTree(DatabaseTrees.Collections, out var names))
        {
            for (var number = 1; number <= names.Count / 2; number++)
            {
                var live = _transaction.TryOpenTree(DatabaseTrees.Live(number), out var tree) ? tree.Count : 0;
                var dead = _transaction.TryOpenTree(DatabaseTrees.Tombstones(number), out tree) ? tree.Count : 0;
                var former = _transaction.TryOpenTree(DatabaseTrees.RevisionsOf(number), out tree) ? tree.Count : 0;
                collections.Add(
                    new CollectionStatistics(
                        CollectionNames.Name(number, _transaction, _database.Collections, _database.Name),
                        live,
                        dead
                    )
                    {
                        Revisions = former,
                    }
                );
                revisions += former;
                documents += live;
                tombstones += dead;
            }
        }

        collections.Sort((a, b) => string.CompareOrdinal(a.Name, b.Name));
        return new DatabaseStatistics(documents, tombstones, LastPosition, _database.SizeOnDisk, collections)
        {
            Revisions = revisions,
            Attachments = Count(DatabaseTrees.Attachments),
            AttachmentContents = Count(DatabaseTrees.AttachmentContents),
            CompareExchangeValues = Count(DatabaseTrees.CompareExchange),
        };
    }

    private long Count(string name) => _transaction.TryOpenTree(name, out var tree) ? tree.Count : 0;

    /// <summary>Lets go of the snapshot.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        _transaction.Dispose();
    }

    /// <summary>
    /// Whether a collection has ever had a document. What begins with @ is no collection of documents, and always
    /// there.
    /// </summary>
    internal bool HasCollection(string name)
    {
        CheckOpen();
        return name.StartsWith('@') || TryFindCollection(name, out _);
    }

    private bool TryFindCollection(string name, out int number)
    {
        number = 0;
        return name.Length > 0
            && Encoding.UTF8.GetByteCount(name) <= DocumentKeys.MaxCollectionBytes
            && (
                _database.Collections.TryGetNumber(name, out number)
                || CollectionNames.TryFind(_transaction, name, out number)
            );
    }

    /// <summary>The ids of all documents, in lower case and in their order, and where their records are.</summary>
    internal IEnumerable<(string Id, long Position)> ReadIds()
    {
        CheckOpen();
        if (_ids is null)
            yield break;
        using var cursor = _ids.OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            if (LivePosition(cursor, 0) is > 0 and var position)
                yield return (Encoding.UTF8.GetString(cursor.Key), position);
        }
    }

    /// <summary>
    /// As <see cref="GetInIdOrder"/>, but decrypted pages are released on the way. The caller must not read other data of
    /// the snapshot during the scan.
    /// </summary>
    internal IEnumerable<Document> ScanInIdOrder(string? collection) => ReadInIdOrder(collection, forget: true);

    private IEnumerable<Document> ReadInIdOrder(string? collection, bool forget)
    {
        CheckOpen();
        var number = 0;
        if (
            _ids is null
            || _documents is null
            || (collection is not null && !TryFindCollection(collection, out number))
        )
        {
            return [];
        }

        return ReadByPrefix(_ids, _documents, "", null, number, forget);
    }

    private IEnumerable<Document> ReadByPrefix(
        Tree ids,
        Tree documents,
        string prefix,
        string? startAfter,
        int collection,
        bool forget = false
    )
    {
        var lowerPrefix = DocumentKeys.LowerPrefix(prefix);
        var from = lowerPrefix;
        var skipEqual = false;
        if (!string.IsNullOrEmpty(startAfter))
        {
            var after = DocumentKeys.LowerPrefix(startAfter);
            if (after.AsSpan().SequenceCompareTo(from) >= 0)
            {
                from = after;
                skipEqual = true;
            }
        }

        using var cursor = ids.OpenCursor();
        for (var any = cursor.Seek(from); any; any = cursor.MoveNext())
        {
            CheckOpen();
            if (!cursor.Key.StartsWith(lowerPrefix))
                yield break;
            if (skipEqual && cursor.Key.SequenceEqual(from))
                continue;
            var position = LivePosition(cursor, collection);
            if (position == 0)
                continue;
            yield return DocumentReading.Read(_database, _transaction, documents, position)
                ?? throw new DatabaseCorruptException(
                    _database.Name,
                    $"an id leads to position {position}, which has no record"
                );
            if (!forget)
                continue;
            var key = cursor.Key.ToArray();
            if (_transaction.ForgetPages())
                cursor.Seek(key);
        }
    }

    private long LivePosition(TreeCursor cursor, int collection)
    {
        var entry = new IdEntry(cursor.Value, _database.Name);
        return entry.IsDeleted || (collection != 0 && entry.CollectionId != collection) ? 0 : entry.Position;
    }

    private IEnumerable<Document> ReadByCollection(Tree live, Tree documents, long after)
    {
        using var cursor = live.OpenCursor();
        for (var any = SeekAfter(cursor, after); any; any = cursor.MoveNext())
        {
            CheckOpen();
            var position = DocumentKeys.ReadPosition(cursor.Key);
            yield return DocumentReading.Read(_database, _transaction, documents, position)
                ?? throw new DatabaseCorruptException(
                    _database.Name,
                    $"a collection leads to position {position}, which has no record"
                );
        }
    }

    private IEnumerable<Document> ReadNewestFirst(Tree documents)
    {
        using var cursor = documents.OpenCursor();
        for (var any = cursor.SeekLast(); any; any = cursor.MovePrevious())
        {
            CheckOpen();
            var document = DocumentReading.Read(
                _database,
                _transaction,
                DocumentKeys.ReadPosition(cursor.Key),
                cursor.Value
            );
            if (!document.IsDeleted)
                yield return document;
        }
    }

    private static bool SeekAfter(TreeCursor cursor, long after)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, Math.Max(0, after) + 1);
        return cursor.Seek(key);
    }

    private void CheckOpen() => ObjectDisposedException.ThrowIf(_disposed, this);
}
