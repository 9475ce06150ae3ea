using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>A snapshot of an index: the state after some commit, which never changes.</summary>
/// <remarks>
/// For one thread at a time. Cursors, columns and other objects that the reader returns belong to it and end when it is
/// disposed; spans must not be used after that. The store keeps the disposed reader, with the memory it allocated, for
/// the next caller that opens one.
/// </remarks>
public sealed partial class IndexReader : IDisposable
{
    private readonly ReaderPool _pool;
    private readonly ReadTransaction _snapshot;
    private readonly byte[] _key = new byte[sizeof(ushort) + IndexTerm.MaxLength];
    private IndexHeader _state;
    private EntryBitmap? _gone;
    private Tree? _terms;
    private Tree? _termIds;
    private Tree? _fields;
    private Tree? _columns;
    private Tree? _numbers;
    private Tree? _entries;
    private Tree? _documents;
    private bool _isOpen;

    internal IndexReader(ReaderPool pool, ReadTransaction snapshot)
    {
        _pool = pool;
        _snapshot = snapshot;
        Open();
    }

    /// <summary>All entries ever made, deleted ones included: entry numbers are less.</summary>
    public int EntryCount => _state.EntryCount;

    /// <summary>Entries that are not deleted.</summary>
    public int LiveCount => _state.EntryCount - _state.Gone;

    /// <summary>The position of the source up to which the index shows it; 0 before the first commit.</summary>
    public long Progress => _state.Progress;

    /// <summary>
    /// Deleted entries that posting lists may still have; null where none does, and document frequencies are exact.
    /// </summary>
    public DeletedEntries? Deleted { get; private set; }

    /// <summary>The transaction that the snapshot shows as the last.</summary>
    public long TransactionId => _snapshot.Id;

    internal ReadTransaction Snapshot => _snapshot;

    internal Tree? PostingTree { get; private set; }

    internal Tree? PositionTree { get; private set; }

    /// <summary>All live entries.</summary>
    public EntryIterator OpenAll()
    {
        CheckOpen();
        return new LiveEntryIterator(_gone, _state.EntryCount, LiveCount);
    }

    /// <summary>Whether the entry exists and is not deleted.</summary>
    public bool IsLive(int entry) => (uint)entry < (uint)_state.EntryCount && _gone?.Contains(entry) != true;

    /// <summary>The document and the stored bytes of an entry; valid until the reader is disposed.</summary>
    /// <returns>Whether the entry exists; deleted ones do not.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public bool TryGetEntry(int entry, out ReadOnlySpan<byte> documentId, out ReadOnlySpan<byte> stored)
    {
        CheckOpen();
        documentId = stored = default;
        var key = _key.AsSpan(0, sizeof(int));
        BinaryPrimitives.WriteInt32BigEndian(key, entry);
        if (_entries is null || !_entries.TryGet(key, out var value))
            return false;
        var length = value.Length < sizeof(ushort) ? int.MaxValue : BinaryPrimitives.ReadUInt16LittleEndian(value);
        if (length > value.Length - sizeof(ushort))
            throw IndexTrees.Corrupt(IndexTrees.Entries, key, "the record of an entry is not whole");
        documentId = value.Slice(sizeof(ushort), length);
        stored = value[(sizeof(ushort) + length)..];
        return true;
    }

    /// <summary>Adds the entries of a document to a list in rising order; adds nothing if it has none.</summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public void GetEntries(ReadOnlySpan<byte> documentId, ICollection<int> entries)
    {
        CheckOpen();
        if (
            _documents is null
            || documentId.Length > IndexLimits.DocumentIdLength
            || !_documents.TryGet(documentId, out var value)
        )
        {
            return;
        }

        for (; value.Length >= sizeof(int); value = value[sizeof(int)..])
            entries.Add(BinaryPrimitives.ReadInt32LittleEndian(value));
    }

    /// <summary>Gives the snapshot back. Harmless when repeated.</summary>
    public void Dispose()
    {
        if (!_isOpen)
            return;
        Suspend();
        _snapshot.Reset();
        _pool.Return(this);
    }

    internal bool NeedsPurge(int percent) =>
        _state.Purging > 0
        || (_state.Pending > 0 && _state.Pending * 100L >= percent * ((long)LiveCount + _state.Pending));

    internal void Renew()
    {
        _snapshot.Renew();
        Open();
    }

    /// <summary>Ends the reader permanently.</summary>
    internal void Close()
    {
        Suspend();
        _snapshot.Dispose();
    }

    private void Open()
    {
        _state = IndexHeader.Read(_snapshot);
        _terms = Tree(IndexTrees.Terms);
        _termIds = Tree(IndexTrees.TermIds);
        _fields = Tree(IndexTrees.Fields);
        _columns = Tree(IndexTrees.Columns);
        _numbers = Tree(IndexTrees.Numbers);
        _entries = Tree(IndexTrees.Entries);
        _documents = Tree(IndexTrees.Documents);
        PostingTree = Tree(IndexTrees.Postings);
        PositionTree = Tree(IndexTrees.Positions);
        var deleted = Tree(IndexTrees.Deleted);
        _gone = _state.Gone == 0 ? null : new EntryBitmap(deleted, EntryBitmap.Gone, _state.EntryCount);
        Deleted =
            _state.Pending == 0
                ? null
                : new DeletedEntries(new EntryBitmap(deleted, EntryBitmap.Pending, _state.EntryCount), _state.Pending);
        _isOpen = true;
    }

    private void Suspend()
    {
        _isOpen = false;
        _gone?.Close();
        Deleted?.Close();
        CloseParts();
    }

    private Tree? Tree(string name) => _snapshot.TryOpenTree(name, out var tree) ? tree : null;

    private void CheckOpen() => ObjectDisposedException.ThrowIf(!_isOpen, this);
}
