using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// A stored part of a posting list, read in place: blocks of up to 128 entries behind a directory of them.
/// </summary>
/// <remarks>
/// Safety of the pointers: <see cref="TryOpen"/> checks that the directory and every block lie within the value, with
/// the sizes that their counts and widths give. No other bytes are read. Entries rise within a block because gaps are
/// at least one. Unpacking checks that a block ends with the entry that the directory names.
/// </remarks>
internal readonly unsafe struct PostingChunk
{
    private readonly byte* _start;
    private readonly int _before;

    private PostingChunk(byte* start, int first)
    {
        _start = start;
        _before = first - 1;
    }

    public int Count => Unsafe.ReadUnaligned<ushort>(_start);

    public int Blocks => _start[2];

    public int LastEntry => Last(Blocks - 1);

    /// <summary>Opens the chunk stored under a key with the given first entry; false if it is damaged.</summary>
    /// <param name="value">The value.</param>
    /// <param name="length">Its length.</param>
    /// <param name="first">The first entry, from the key.</param>
    /// <param name="end">All entries must be less.</param>
    /// <param name="frequencies">Whether the list has frequencies.</param>
    /// <param name="chunk">The chunk.</param>
    public static bool TryOpen(byte* value, int length, int first, int end, bool frequencies, out PostingChunk chunk)
    {
        chunk = new PostingChunk(value, first);
        if (length < PostingLayout.HeaderSize || first < 0)
            return false;
        var blocks = chunk.Blocks;
        var data = PostingLayout.HeaderSize + (blocks * PostingLayout.DirectorySize);
        if (blocks == 0 || data > length || (chunk.Count + BlockCodec.Length - 1) / BlockCodec.Length != blocks)
            return false;
        var before = first - 1;
        for (var i = 0; i < blocks; i++)
        {
            var entry = chunk.Directory(i);
            var last = Unsafe.ReadUnaligned<int>(entry);
            var offset = Unsafe.ReadUnaligned<ushort>(entry + 4);
            int entriesWidth = entry[6],
                frequenciesWidth = entry[7];
            var count = chunk.CountOf(i);
            if (
                last < before + (long)count
                || (entriesWidth > 31 && entriesWidth != PostingLayout.Bitmap)
                || frequenciesWidth > 32
                || offset < data
            )
            {
                return false;
            }

            var size = PostingLayout.EntriesSize(count, entriesWidth, before, last);
            if (frequencies)
                size += PostingLayout.FrequenciesSize(count, frequenciesWidth);
            if (size > length - offset)
                return false;
            before = last;
        }

        return before < end;
    }

    public int Last(int block) => Unsafe.ReadUnaligned<int>(Directory(block));

    /// <summary>The entry from which the gaps of a block are counted.</summary>
    public int Before(int block) => block == 0 ? _before : Last(block - 1);

    public int CountOf(int block) => block == Blocks - 1 ? Count - (block * BlockCodec.Length) : BlockCodec.Length;

    /// <summary>The pairs that bound the scores of a block: see <see cref="BlockImpacts"/>.</summary>
    public ReadOnlySpan<byte> Impacts(int block) => new(Directory(block) + 8, PostingLayout.ImpactsSize);

    public int EntriesWidth(int block) => Directory(block)[6];

    public int FrequenciesWidth(int block) => Directory(block)[7];

    public byte* Data(int block) => _start + Unsafe.ReadUnaligned<ushort>(Directory(block) + 4);

    /// <summary>Bytes of a block's entries and frequencies.</summary>
    public int DataSize(int block, bool frequencies)
    {
        var size = PostingLayout.EntriesSize(CountOf(block), EntriesWidth(block), Before(block), Last(block));
        return frequencies ? size + PostingLayout.FrequenciesSize(CountOf(block), FrequenciesWidth(block)) : size;
    }

    /// <summary>Unpacks a block's entries, up to 128; false if they do not end as the directory says.</summary>
    public bool ReadEntries(int block, int* target) =>
        PostingBlock.ReadEntries(Data(block), CountOf(block), EntriesWidth(block), Before(block), Last(block), target);

    /// <summary>Unpacks a block's frequencies, up to 128.</summary>
    public void ReadFrequencies(int block, uint* target) =>
        PostingBlock.ReadFrequencies(Frequencies(block), CountOf(block), FrequenciesWidth(block), target);

    /// <summary>Where a block's frequencies are, in a list that has them.</summary>
    public byte* Frequencies(int block) =>
        Data(block) + PostingLayout.EntriesSize(CountOf(block), EntriesWidth(block), Before(block), Last(block));

    /// <summary>
    /// The first block whose last entry is not less than the target, from a block on; <see cref="Blocks"/> for none.
    /// </summary>
    public int FindBlock(int from, int target)
    {
        var low = from;
        var high = Blocks;
        // Mostly it is the same or the next one.
        for (var near = Math.Min(low + 2, high); low < near; low++)
        {
            if (Last(low) >= target)
                return low;
        }

        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (Last(middle) < target)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    private byte* Directory(int block) => _start + PostingLayout.HeaderSize + (block * PostingLayout.DirectorySize);
}
