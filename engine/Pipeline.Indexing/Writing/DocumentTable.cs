using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>The documents of a batch, found by their ids, and its entries.</summary>
/// <remarks>Ids lie in the batch's arena, which outlives the table's use. Not thread-safe.</remarks>
internal sealed unsafe class DocumentTable : IDisposable
{
    private readonly NativeArena _arena;
    private readonly NativeList<BatchDocument> _documents = new();
    private readonly NativeList<BatchEntry> _entries = new();
    private int* _buckets;
    private int _mask = 255;

    public DocumentTable(NativeArena arena)
    {
        _arena = arena;
        _buckets = (int*)NativeMemory.AllocZeroed(256, sizeof(int));
    }

    ~DocumentTable() => Free();

    public int Documents => _documents.Count;

    public int Entries => _entries.Count;

    public long Bytes => _documents.Bytes + _entries.Bytes + ((_mask + 1L) * sizeof(int));

    /// <summary>The bytes of the next growth if it is near; see <see cref="NativeList{T}.Growth"/>.</summary>
    public long Growth =>
        _documents.Growth + _entries.Growth + (_documents.Count < _mask / 16 * 7 ? 0 : (_mask + 1L) * 2 * sizeof(int));

    public ref BatchDocument Document(int index) => ref _documents[index];

    public ref BatchEntry Entry(int index) => ref _entries[index];

    /// <summary>Makes the next entry, for a document.</summary>
    public int AddEntry(ReadOnlySpan<byte> documentId)
    {
        var index = GetOrAdd(documentId);
        ref var document = ref _documents[index];
        var entry = _entries.Count;
        _entries.Add(new BatchEntry { Document = index, Before = document.LastEntry });
        document.LastEntry = entry;
        document.Entries++;
        return entry;
    }

    public void SetStored(int entry, ReadOnlySpan<byte> bytes)
    {
        _entries[entry].Stored = _arena.Copy(bytes);
        _entries[entry].StoredLength = bytes.Length;
    }

    /// <summary>Deletes all entries of a document, those of before the batch and those in it.</summary>
    public void Delete(ReadOnlySpan<byte> documentId)
    {
        ref var document = ref _documents[GetOrAdd(documentId)];
        document.IsDeleted = true;
        for (var entry = document.LastEntry; entry >= 0; entry = _entries[entry].Before)
            _entries[entry].IsDeleted = true;
        document.LastEntry = -1;
        document.Entries = 0;
    }

    public void Dispose()
    {
        _documents.Dispose();
        _entries.Dispose();
        Free();
        GC.SuppressFinalize(this);
    }

    private int GetOrAdd(ReadOnlySpan<byte> id)
    {
        var at = Bucket(id, _mask);
        for (; _buckets[at] != 0; at = (at + 1) & _mask)
        {
            if (_documents[_buckets[at] - 1].Key.SequenceEqual(id))
                return _buckets[at] - 1;
        }

        var key = _arena.Take(sizeof(ushort) + id.Length);
        *(ushort*)key = (ushort)id.Length;
        id.CopyTo(new Span<byte>(key + sizeof(ushort), id.Length));
        _documents.Add(new BatchDocument { Id = key, LastEntry = -1 });
        _buckets[at] = _documents.Count;
        if (_documents.Count * 2 > _mask)
            GrowBuckets();
        return _documents.Count - 1;
    }

    private void GrowBuckets()
    {
        var mask = checked((_mask * 2) + 1);
        var buckets = (int*)NativeMemory.AllocZeroed((nuint)mask + 1, sizeof(int));
        for (var i = 0; i < _documents.Count; i++)
        {
            var at = Bucket(_documents[i].Key, mask);
            while (buckets[at] != 0)
                at = (at + 1) & mask;
            buckets[at] = i + 1;
        }

        NativeMemory.Free(_buckets);
        _buckets = buckets;
        _mask = mask;
    }

    private static int Bucket(ReadOnlySpan<byte> id, int mask)
    {
        fixed (byte* bytes = id)
            return (int)TermHash.Of(bytes, id.Length) & mask;
    }

    private void Free()
    {
        NativeMemory.Free(_buckets);
        _buckets = null;
    }
}
