using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>A chunk being made: a directory of blocks, and their bytes.</summary>
/// <param name="directorySize">Bytes that the directory has for each block.</param>
internal sealed class ChunkBuffer(int directorySize)
{
    private byte[] _data = new byte[4096];
    private byte[] _directory = new byte[64 * directorySize];

    public int Blocks { get; private set; }

    public int DataLength { get; private set; }

    /// <summary>Bytes of the chunk as it would be stored.</summary>
    public int Size => PostingLayout.HeaderSize + (Blocks * directorySize) + DataLength;

    /// <summary>Room for a block's bytes behind those that are there; only <see cref="AddBlock"/> keeps them.</summary>
    public Span<byte> Room(int length)
    {
        if (_data.Length - DataLength < length)
            Array.Resize(ref _data, Math.Max(DataLength + length, _data.Length * 2));
        return _data.AsSpan(DataLength, length);
    }

    /// <summary>
    /// Adds a block: its directory entry, which the caller fills but for the offset, which is added to what the caller
    /// writes.
    /// </summary>
    public Span<byte> AddBlock(int length)
    {
        var at = Blocks * directorySize;
        if (at + directorySize > _directory.Length)
            Array.Resize(ref _directory, _directory.Length * 2);
        Blocks++;
        DataLength += length;
        var entry = _directory.AsSpan(at, directorySize);
        entry.Clear();
        return entry;
    }

    /// <summary>
    /// Writes directory and data behind the chunk's header. Offsets, kept from the start of the data, become offsets in
    /// the chunk.
    /// </summary>
    public void WriteTo(Span<byte> chunk, bool wideOffsets)
    {
        var directory = chunk.Slice(PostingLayout.HeaderSize, Blocks * directorySize);
        _directory.AsSpan(0, directory.Length).CopyTo(directory);
        var data = PostingLayout.HeaderSize + directory.Length;
        for (var i = 0; i < Blocks; i++)
        {
            ref var offset = ref directory[(i * directorySize) + 4];
            if (wideOffsets)
                Unsafe.WriteUnaligned(ref offset, Unsafe.ReadUnaligned<int>(ref offset) + data);
            else
                Unsafe.WriteUnaligned(ref offset, (ushort)(Unsafe.ReadUnaligned<ushort>(ref offset) + data));
        }

        _data.AsSpan(0, DataLength).CopyTo(chunk[data..]);
    }

    public void Clear() => Blocks = DataLength = 0;
}
