using System.Numerics;
using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>Packing and unpacking of up to 128 entries and frequencies.</summary>
/// <remarks>
/// Safety of the pointers: a call reads exactly the bytes that <see cref="PostingLayout"/> gives for the arguments, and
/// writes as many numbers as there are (128 for a full block).
/// </remarks>
internal static unsafe class PostingBlock
{
    /// <summary>
    /// The width at which the entries of a block are packed, or <see cref="PostingLayout.Bitmap"/> if that is smaller.
    /// </summary>
    public static int EntriesWidth(ReadOnlySpan<int> entries, int before)
    {
        uint all = 0;
        var last = before;
        foreach (var entry in entries)
        {
            all |= (uint)(entry - last - 1);
            last = entry;
        }

        var width = BitPacking.Width(all);
        return
            entries.Length == BlockCodec.Length && PostingLayout.BitmapWords(before, last) * 8 <= BlockCodec.Size(width)
            ? PostingLayout.Bitmap
            : width;
    }

    /// <summary>Writes entries at a width; returns the bytes written.</summary>
    public static int WriteEntries(ReadOnlySpan<int> entries, int width, int before, Span<byte> target)
    {
        if (width == PostingLayout.Bitmap)
        {
            var size = PostingLayout.BitmapWords(before, entries[^1]) * 8;
            target[..size].Clear();
            foreach (var entry in entries)
            {
                var bit = entry - before - 1;
                target[bit >> 3] |= (byte)(1 << (bit & 7));
            }

            return size;
        }

        Span<uint> gaps = stackalloc uint[BlockCodec.Length];
        var last = before;
        for (var i = 0; i < entries.Length; i++)
        {
            gaps[i] = (uint)(entries[i] - last - 1);
            last = entries[i];
        }

        return entries.Length == BlockCodec.Length
            ? BlockCodec.Pack(gaps, width, target)
            : BitPacking.Write(gaps[..entries.Length], width, target);
    }

    /// <summary>Writes frequencies less one at a width; returns the bytes written.</summary>
    public static int WriteFrequencies(ReadOnlySpan<uint> frequencies, int width, Span<byte> target)
    {
        Span<uint> less = stackalloc uint[BlockCodec.Length];
        for (var i = 0; i < frequencies.Length; i++)
            less[i] = frequencies[i] - 1;
        return frequencies.Length == BlockCodec.Length
            ? BlockCodec.Pack(less, width, target)
            : BitPacking.Write(less[..frequencies.Length], width, target);
    }

    /// <summary>Reads entries; false where they do not rise to <paramref name="last"/>.</summary>
    public static bool ReadEntries(byte* source, int count, int width, int before, int last, int* target)
    {
        if (width == PostingLayout.Bitmap)
            return ReadBitmap(source, count, before, last, target);
        if (count == BlockCodec.Length)
        {
            BlockCodec.UnpackGaps(source, width, before, target);
        }
        else
        {
            var size = BitPacking.Size(count, width);
            var entry = before;
            for (var i = 0; i < count; i++)
                target[i] = entry += (int)BitPacking.Read(source, size, i, width) + 1;
        }

        // Gaps of up to 24 bits cannot come round to the right end.
        return target[count - 1] == last && (width <= 24 || Rises(target, count, before));
    }

    /// <summary>Reads frequencies.</summary>
    public static void ReadFrequencies(byte* source, int count, int width, uint* target)
    {
        if (count == BlockCodec.Length)
        {
            BlockCodec.UnpackPlusOne(source, width, target);
            return;
        }

        var size = BitPacking.Size(count, width);
        for (var i = 0; i < count; i++)
            target[i] = BitPacking.Read(source, size, i, width) + 1;
    }

    private static bool ReadBitmap(byte* source, int count, int before, int last, int* target)
    {
        var words = PostingLayout.BitmapWords(before, last);
        var found = 0;
        for (var i = 0; i < words; i++)
        {
            var word = Unsafe.ReadUnaligned<ulong>(source + (i * 8));
            if (BitOperations.PopCount(word) > count - found)
                return false;
            for (var from = before + 1 + (i * 64); word != 0; word &= word - 1)
                target[found++] = from + BitOperations.TrailingZeroCount(word);
        }

        return found == count && target[count - 1] == last;
    }

    private static bool Rises(int* entries, int count, int before)
    {
        for (var i = 0; i < count; i++)
        {
            if (entries[i] <= before)
                return false;
            before = entries[i];
        }

        return true;
    }
}
