using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// A stored part of a list's positions, read in place: those of a block of neighbouring entries, at one width.
/// </summary>
/// <remarks>
/// Safety of the pointers: <see cref="TryOpen"/> checks that the directory and the places of all blocks lie within the
/// value; readers check that the positions they ask for lie within the block.
/// </remarks>
internal readonly unsafe struct PositionChunk
{
    private readonly byte* _start;
    private readonly int _length;

    private PositionChunk(byte* start, int length)
    {
        _start = start;
        _length = length;
    }

    public int Blocks => Unsafe.ReadUnaligned<ushort>(_start);

    /// <summary>Opens a stored value; false if it is damaged.</summary>
    public static bool TryOpen(byte* value, int length, out PositionChunk chunk)
    {
        chunk = new PositionChunk(value, length);
        if (length < PostingLayout.HeaderSize)
            return false;
        var least = PostingLayout.HeaderSize + (chunk.Blocks * PostingLayout.PositionDirectorySize);
        if (chunk.Blocks == 0)
            return false;
        for (var i = 0; i < chunk.Blocks; i++)
        {
            // Each directory entry must lie within the value before it is read.
            if (PostingLayout.HeaderSize + ((i + 1) * PostingLayout.PositionDirectorySize) > length)
                return false;
            var offset = chunk.Offset(i);
            if (offset < least || offset > length || chunk.Width(i) > 32)
                return false;
            least = offset;
        }

        return true;
    }

    /// <summary>The last entry of a block, as in the list's own directory.</summary>
    public int Last(int block) => Unsafe.ReadUnaligned<int>(Directory(block));

    public int Width(int block) => Directory(block)[8];

    public byte* Data(int block) => _start + Offset(block);

    /// <summary>Bytes of a block's positions.</summary>
    public int Size(int block) => (block + 1 == Blocks ? _length : Offset(block + 1)) - Offset(block);

    /// <summary>Bytes from where a block's positions begin to the end of the chunk.</summary>
    public int SizeToEnd(int block) => _length - Offset(block);

    /// <summary>Finds the block that ends with an entry; −1 if there is none.</summary>
    /// <param name="last">The entry.</param>
    /// <param name="near">Where to look first.</param>
    public int Find(int last, int near)
    {
        if ((uint)near < (uint)Blocks && Last(near) == last)
            return near;
        var low = 0;
        var high = Blocks - 1;
        while (low <= high)
        {
            var middle = (low + high) >>> 1;
            var at = Last(middle);
            if (at == last)
                return middle;
            if (at < last)
                low = middle + 1;
            else
                high = middle - 1;
        }

        return -1;
    }

    private int Offset(int block) => Unsafe.ReadUnaligned<int>(Directory(block) + 4);

    private byte* Directory(int block) =>
        _start + PostingLayout.HeaderSize + (block * PostingLayout.PositionDirectorySize);
}
