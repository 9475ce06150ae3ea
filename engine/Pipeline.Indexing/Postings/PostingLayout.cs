using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <summary>Sizes and places within stored posting lists; FORMAT.md, "Posting lists", describes them.</summary>
internal static class PostingLayout
{
    /// <summary>Bytes of a chunk's header, before the directory.</summary>
    public const int HeaderSize = 4;

    /// <summary>Bytes that the directory has for each block.</summary>
    public const int DirectorySize = 8 + ImpactsSize;

    /// <summary>Pairs of a frequency and a length that bound the scores of a block.</summary>
    public const int Impacts = 4;

    /// <summary>Bytes of these pairs: a byte for each frequency, then two for each length.</summary>
    public const int ImpactsSize = Impacts * 3;

    /// <summary>Bytes that the directory of positions has for each block.</summary>
    public const int PositionDirectorySize = 12;

    /// <summary>A chunk is ended before it would be larger: four of them fill a page.</summary>
    public const int MaxChunk = 1990;

    /// <summary>A list that is larger does not lie in the term's record.</summary>
    public const int MaxInline = 400;

    /// <summary>In place of a width: the block is a bitmap of the entries from the base on.</summary>
    public const byte Bitmap = 64;

    /// <summary>Bytes of a chunk's key: the list, then the first entry.</summary>
    public const int KeySize = 12;

    /// <summary>A frequency or length that is not less is kept as this.</summary>
    public const int MaxImpact = ushort.MaxValue;

    public static void WriteKey(Span<byte> key, ulong list, int entry)
    {
        BinaryPrimitives.WriteUInt64BigEndian(key, list);
        BinaryPrimitives.WriteInt32BigEndian(key[8..], entry);
    }

    /// <summary>
    /// The width at which a chunk keeps positions that need so many bits: mostly a byte each, which need not be
    /// unpacked.
    /// </summary>
    public static int PositionsWidth(int bits) => bits is > 4 and < 8 ? 8 : bits;

    /// <summary>Bytes of a block's entries.</summary>
    public static int EntriesSize(int count, int width, int before, int last) =>
        width == Bitmap ? BitmapWords(before, last) * 8
        : count == BlockCodec.Length ? BlockCodec.Size(width)
        : BitPacking.Size(count, width);

    /// <summary>Bytes of a block's frequencies.</summary>
    public static int FrequenciesSize(int count, int width) =>
        count == BlockCodec.Length ? BlockCodec.Size(width) : BitPacking.Size(count, width);

    /// <summary>
    /// Words of a bitmap of the entries from <paramref name="before"/> + 1 to <paramref name="last"/>.
    /// </summary>
    public static int BitmapWords(int before, int last) => (int)(((long)last - before + 63) >> 6);
}
