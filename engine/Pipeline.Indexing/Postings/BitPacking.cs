using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// Numbers of one width, one behind the other, the lowest bit first: any of them is read without the others.
/// </summary>
internal static class BitPacking
{
    /// <summary>Bits that the number needs; 0 for 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Width(uint value) => 32 - BitOperations.LeadingZeroCount(value);

    /// <summary>Bytes of so many numbers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(int count, int width) => (int)((((long)count * width) + 7) >> 3);

    /// <summary>
    /// Writes the numbers and returns the bytes written. No number may need more than <paramref name="width"/> bits.
    /// </summary>
    public static int Write(ReadOnlySpan<uint> values, int width, Span<byte> target)
    {
        var size = Size(values.Length, width);
        target = target[..size];
        ulong pending = 0;
        var bits = 0;
        var at = 0;
        foreach (var value in values)
        {
            pending |= (ulong)value << bits;
            bits += width;
            if (bits < 32)
                continue;
            BinaryPrimitives.WriteUInt32LittleEndian(target[at..], (uint)pending);
            at += 4;
            pending >>= 32;
            bits -= 32;
        }

        for (; at < size; at++, pending >>= 8)
            target[at] = (byte)pending;
        return size;
    }

    /// <summary>
    /// The number at an index. Safe for any index below the count from which <see cref="Size"/> gave no more than
    /// <paramref name="length"/>: at the end, where eight bytes cannot be loaded, those that are there are put together
    /// one by one.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe uint Read(byte* source, int length, int index, int width)
    {
        var bit = (long)index * width;
        var at = (int)(bit >> 3);
        var word = at + 8 <= length ? Unsafe.ReadUnaligned<ulong>(source + at) : ReadLast(source, length, at);
        return (uint)((word >> (int)(bit & 7)) & ((1UL << width) - 1));
    }

    private static unsafe ulong ReadLast(byte* source, int length, int at)
    {
        ulong word = 0;
        for (var i = at; i < length; i++)
            word |= (ulong)source[i] << ((i - at) * 8);
        return word;
    }
}
