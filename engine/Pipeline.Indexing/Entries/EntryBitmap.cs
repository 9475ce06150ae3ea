using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>A stored set of entries: chunks of bits, each looked up once and then read in place.</summary>
/// <remarks>
/// Not thread-safe. Safety of the pointers: a chunk of another length than <see cref="ChunkBytes"/> is refused; entries
/// beyond the last chunk are in no set.
/// </remarks>
internal sealed unsafe class EntryBitmap
{
    public const int ChunkBytes = 1024;
    public const int ChunkEntries = ChunkBytes * 8;
    public const int KeySize = 5;

    /// <summary>All deleted entries.</summary>
    public const byte Gone = 0;

    /// <summary>Those of them that posting lists may still have.</summary>
    public const byte Pending = 1;

    /// <summary>Those of them that a purge under way takes out of the lists.</summary>
    public const byte Purging = 2;

    private readonly Tree? _tree;
    private readonly byte _kind;
    private nint[] _chunks;
    private ulong[] _known;

    public EntryBitmap(Tree? tree, byte kind, int entryCount)
    {
        _tree = tree;
        _kind = kind;
        var chunks = (int)(((long)entryCount + ChunkEntries - 1) / ChunkEntries);
        _chunks = new nint[chunks];
        _known = new ulong[(chunks + 63) / 64];
    }

    public int ChunkCount => _chunks.Length;

    public static void WriteKey(Span<byte> key, byte kind, int chunk)
    {
        key[0] = kind;
        BinaryPrimitives.WriteInt32BigEndian(key[1..], chunk);
    }

    /// <summary>The bytes of a chunk; empty where no bit is set.</summary>
    public ReadOnlySpan<byte> Chunk(int index)
    {
        var chunk = Find(index);
        return chunk == null ? default : new ReadOnlySpan<byte>(chunk, ChunkBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Contains(int entry)
    {
        var index = (uint)entry / ChunkEntries;
        if (index >= (uint)_chunks.Length)
            return false;
        var chunk = Find((int)index);
        return chunk != null && (chunk[(entry & (ChunkEntries - 1)) >> 3] & (1 << (entry & 7))) != 0;
    }

    /// <summary>The bits of 64 entries, from <paramref name="index"/> × 64 on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Word(int index)
    {
        var at = (uint)index / (ChunkEntries / 64);
        if (at >= (uint)_chunks.Length)
            return 0;
        var chunk = Find((int)at);
        return chunk == null
            ? 0
            : Unsafe.ReadUnaligned<ulong>(chunk + ((index & ((ChunkEntries / 64) - 1)) * sizeof(ulong)));
    }

    public int Count()
    {
        var count = 0;
        for (var i = 0; i < _chunks.Length * (ChunkEntries / 64); i++)
            count += BitOperations.PopCount(Word(i));
        return count;
    }

    public void Close()
    {
        _chunks = [];
        _known = [];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Find(int index) =>
        (_known[index >> 6] & (1UL << index)) != 0 ? (byte*)_chunks[index] : FindStored(index);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* FindStored(int index)
    {
        Span<byte> key = stackalloc byte[KeySize];
        WriteKey(key, _kind, index);
        if (_tree is not null && _tree.TryGet(key, out var value))
        {
            if (value.Length != ChunkBytes)
            {
                throw IndexTrees.Corrupt(
                    IndexTrees.Deleted,
                    key,
                    $"a bitmap has {value.Length} bytes, not {ChunkBytes}"
                );
            }

            fixed (byte* at = value)
                _chunks[index] = (nint)at;
        }

        _known[index >> 6] |= 1UL << index;
        return (byte*)_chunks[index];
    }
}
