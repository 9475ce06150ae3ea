using System.Diagnostics.CodeAnalysis;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The writing side of one commit: puts and deletes of documents, and private state that commits with them. Given to
/// the function of <see cref="DocumentStorage.WriteAsync{T}"/>, good only while that runs, and not thread-safe.
/// </summary>
/// <remarks>
/// It reads its own writes. A <see cref="ConcurrencyException"/> or other error that leaves the function undoes all it
/// did.
/// </remarks>
public sealed partial class DocumentTransaction
{
    private readonly DocumentStorage _database;
    private readonly WriteTransaction _transaction;
    private readonly Tree _documents;
    private readonly Tree _ids;
    private readonly long _ticks;
    private List<(string Spelling, int Number, string Name)>? _newCollections;
    private Dictionary<int, (Tree Live, Tree? Tombstones)>? _collectionTrees;
    private IDisposable? _atEnd;
    private bool _ended;

    internal DocumentTransaction(DocumentStorage database, WriteTransaction transaction)
    {
        _database = database;
        _transaction = transaction;
        _documents = transaction.CreateTree(DatabaseTrees.Documents);
        _ids = transaction.CreateTree(DatabaseTrees.Ids);
        _ticks = database.TimeProvider.GetUtcNow().UtcTicks;
        LastPosition = DatabasePositions.Last(transaction);
    }

    /// <summary>The position of the last change, this transaction's own included.</summary>
    public long LastPosition { get; private set; }

    /// <summary>The <c>traceparent</c> that documents stored here get; null for none.</summary>
    internal string? Trace { get; init; }

    internal long Changes => _transaction.Changes;

    internal IReadOnlyList<(string Spelling, int Number, string Name)> NewCollections => _newCollections ?? [];

    /// <summary>
    /// Tells the store of an error within changes that belong together, for the filter of a catch clause:
    /// <see cref="WriteTransaction.NoteError"/>.
    /// </summary>
    internal bool NoteError(Exception error, long since) => _transaction.NoteError(error, since);

    internal void End()
    {
        _ended = true;
        _transaction.Mark = LastPosition;
        _atEnd?.Dispose();
    }

    /// <summary>Reads a document as this transaction sees it.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="document">A copy of the document.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGet(string id, [NotNullWhen(true)] out Document? document)
    {
        CheckOpen();
        return DocumentReading.TryGet(_database, _transaction, _ids, _documents, id, out document);
    }

    private bool Exists(string id)
    {
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8 = utf8[..DocumentKeys.EncodeId(id, utf8)];
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        return _ids.TryGet(key[..DocumentKeys.LowerKey(utf8, key)], out var value)
            && !new IdEntry(value, _database.Name).IsDeleted;
    }

    /// <summary>Stores bytes under a private name. They are no document and make no change in the feed.</summary>
    /// <param name="key">The name: 1 to 512 bytes of UTF-8.</param>
    /// <param name="value">The bytes.</param>
    public void SetState(string key, ReadOnlySpan<byte> value)
    {
        CheckOpen();
        _transaction.CreateTree(DatabaseTrees.State).Put(DocumentReading.StateKey(key), value);
    }

    /// <summary>The bytes under a private name, as this transaction sees them.</summary>
    /// <param name="key">The name.</param>
    /// <returns>A copy; null if there are none.</returns>
    public byte[]? GetState(string key)
    {
        CheckOpen();
        return DocumentReading.GetState(_transaction, key);
    }

    /// <summary>Removes the value stored under a private name.</summary>
    /// <param name="key">The name.</param>
    /// <returns>Whether there was something.</returns>
    public bool DeleteState(string key)
    {
        CheckOpen();
        return _transaction.CreateTree(DatabaseTrees.State).Delete(DocumentReading.StateKey(key));
    }

    private void CheckOpen() => ObjectDisposedException.ThrowIf(_ended, this);

    private DatabaseCorruptException Missing(long position, string? id) =>
        new(
            _database.Name,
            id is null
                ? $"position {position} has no record"
                : $"the document '{id}' leads to position {position}, which has no record"
        );
}
