using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>The values of one kind that a field's entries have, by entry number.</summary>
/// <remarks>
/// Not thread-safe. A chunk is looked for once and then known. Chunks point into the snapshot; the reader that made
/// this forgets them when it lets go of the snapshot.
/// </remarks>
public sealed unsafe class ColumnReader
{
    private const int KeySize = 7;
    private readonly Tree? _tree;
    private readonly byte[] _key = new byte[KeySize];
    private ColumnChunk[] _chunks;
    private ulong[] _known;
    private int _end;

    internal ColumnReader(Tree? tree, int field, ColumnKind kind, int entryCount)
    {
        _tree = tree;
        _end = entryCount;
        WriteKey(_key, field, kind, 0);
        var chunks = (entryCount + ColumnChunk.Capacity - 1) / ColumnChunk.Capacity;
        _chunks = new ColumnChunk[chunks];
        _known = new ulong[(chunks + 63) / 64];
    }

    /// <summary>Chunks of <see cref="ColumnChunk.Capacity"/> entries, the last one shorter.</summary>
    public int ChunkCount => _chunks.Length;

    /// <summary>
    /// The chunk with the entries from <paramref name="index"/> × <see cref="ColumnChunk.Capacity"/> on.
    /// </summary>
    /// <exception cref="IndexCorruptException">It is damaged.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ColumnChunk GetChunk(int index)
    {
        if ((_known[index >> 6] & (1UL << index)) == 0)
            Find(index);
        return _chunks[index];
    }

    /// <summary>The first value of an entry.</summary>
    /// <returns>Whether there is one.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGet(int entry, out long value)
    {
        value = 0;
        if ((uint)entry >= (uint)_end)
            return false;
        var chunk = (int)((uint)entry / ColumnChunk.Capacity);
        return GetChunk(chunk).TryGet(entry - (chunk * ColumnChunk.Capacity), out value);
    }

    /// <summary>All values of an entry, in the order in which they were added.</summary>
    public void GetValues(int entry, ICollection<long> values)
    {
        if ((uint)entry >= (uint)_end)
            return;
        var index = entry / ColumnChunk.Capacity;
        var chunk = GetChunk(index);
        var slot = entry - (index * ColumnChunk.Capacity);
        var count = chunk.CountAt(slot);
        for (var i = 0; i < count; i++)
            values.Add(chunk.ValueAt(slot, i));
    }

    internal static void WriteKey(Span<byte> key, int field, ColumnKind kind, int chunk)
    {
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)field);
        key[2] = (byte)kind;
        BinaryPrimitives.WriteInt32BigEndian(key[3..], chunk);
    }

    /// <summary>Lets go of all chunks: whatever is asked then has no value.</summary>
    internal void Close()
    {
        _end = 0;
        // Not the framework's empty array, whose code for this type would be compiled by the first query of a process.
        _chunks = new ColumnChunk[_end];
        _known = [];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Find(int index)
    {
        BinaryPrimitives.WriteInt32BigEndian(_key.AsSpan(3), index);
        if (_tree is not null && _tree.TryGet(_key, out var value))
        {
            fixed (byte* at = value)
            {
                // The value lies in the snapshot's pages, which do not move.
                if (!ColumnChunk.TryOpen(at, value.Length, out _chunks[index]))
                {
                    _chunks[index] = default;
                    throw IndexTrees.Corrupt(IndexTrees.Columns, _key, "a column's chunk is not whole");
                }
            }
        }

        _known[index >> 6] |= 1UL << index;
    }
}
