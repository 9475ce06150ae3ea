namespace Pipeline.Indexing;

/// <summary>
/// Entries and deletions that become part of an index in one commit: an inverted index in memory, made before any
/// transaction is open.
/// </summary>
/// <remarks>
/// For one thread at a time; several batches may be filled by as many threads and committed together, in their order.
/// Its memory is outside the collector's heap and measured; dispose it. Deletions take effect in the order of the
/// calls: one removes the document's entries of all earlier commits and batches, and those added to this batch before
/// it.
/// </remarks>
public sealed class IndexBatch : IDisposable
{
    /// <summary>The most bytes of a document's id.</summary>
    public const int MaxDocumentIdLength = IndexLimits.DocumentIdLength;

    /// <summary>Room in the arena that is always kept for the next entry.</summary>
    private const int SmallEntry = 4096;

    private readonly NativeArena _arena = new();
    private readonly EntryBuilder _builder;
    private FieldBatch?[] _fields = new FieldBatch?[16];
    private long _before;
    private long _largest = SmallEntry;
    private bool _disposed;

    internal IndexBatch(long maxBytes)
    {
        MaxBytes = maxBytes;
        Documents = new DocumentTable(_arena);
        _builder = new EntryBuilder(this);
    }

    /// <summary>The entries added.</summary>
    public int EntryCount => Documents.Entries;

    /// <summary>The bytes of memory held.</summary>
    public long MemoryBytes
    {
        get
        {
            var bytes = _arena.Bytes + Documents.Bytes;
            foreach (var batch in _fields)
                bytes += batch?.Bytes ?? 0;
            return bytes;
        }
    }

    /// <summary>
    /// The bytes that the batch is to hold at most. It is full before; only an entry that takes much more than any
    /// before it goes beyond.
    /// </summary>
    public long MaxBytes { get; }

    /// <summary>
    /// The bytes that the next entry takes beyond <see cref="MemoryBytes"/>, if it is no larger than earlier entries or
    /// takes at most
    /// <paramref name="entryBytes"/>. It counts the next block of memory if the last one does not suffice, and the
    /// growth of lists and tables that are nearly full.
    /// </summary>
    /// <param name="entryBytes">The bytes for the entry's terms and their occurrences.</param>
    public long NextBytesFor(long entryBytes)
    {
        // The places of a new term in list and table take less than half of its memory.
        var bytes = _arena.GrowthFor(Math.Max(_largest, entryBytes)) + (entryBytes / 2) + Documents.Growth;
        foreach (var batch in _fields)
            bytes += batch?.Growth ?? 0;
        return bytes;
    }

    /// <summary>Whether the batch must be committed before more is added.</summary>
    public bool IsFull => MemoryBytes + NextBytesFor(0) > MaxBytes;

    internal DocumentTable Documents { get; }

    internal IEnumerable<FieldBatch> Fields => _fields.OfType<FieldBatch>();

    /// <summary>Begins an entry of a document. It must be ended before the next one is begun.</summary>
    /// <param name="documentId">The document's id, 1 to 512 bytes.</param>
    /// <exception cref="ArgumentException">The id is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The last entry was not ended.</exception>
    public EntryBuilder Begin(ReadOnlySpan<byte> documentId)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        CheckId(documentId);
        _before = _arena.Used;
        _builder.Begin(documentId);
        return _builder;
    }

    /// <summary>Deletes all entries of a document; does nothing if there are none.</summary>
    /// <exception cref="ArgumentException">The id is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">An entry was begun and not ended.</exception>
    public void Delete(ReadOnlySpan<byte> documentId)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        CheckId(documentId);
        _builder.CheckEnded();
        Documents.Delete(documentId);
    }

    /// <summary>Gives the memory back. Harmless when repeated.</summary>
    public void Dispose()
    {
        _disposed = true;
        Documents.Dispose();
        foreach (var field in _fields)
            field?.Dispose();
        Array.Clear(_fields);
        _arena.Dispose();
    }

    internal void Ended() => _largest = Math.Max(_largest, _arena.Used - _before);

    internal void CheckComplete()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        _builder.CheckEnded();
    }

    internal FieldBatch Field(IndexField field)
    {
        if (field.Number >= _fields.Length)
            Array.Resize(ref _fields, Math.Max(field.Number + 1, _fields.Length * 2));
        return _fields[field.Number] ??= new FieldBatch(field, _arena);
    }

    private static void CheckId(ReadOnlySpan<byte> documentId)
    {
        if (documentId.Length is 0 or > MaxDocumentIdLength)
        {
            throw new ArgumentException(
                $"A document's id has 1 to {MaxDocumentIdLength} bytes; this one has {documentId.Length}.",
                nameof(documentId)
            );
        }
    }
}
