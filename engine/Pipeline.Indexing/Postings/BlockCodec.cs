using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <summary>
/// 128 numbers of one width in four interleaved lanes: number i lies in lane i mod 4, so that four are unpacked at a time and a block takes 16 bytes a
/// bit of width. The layout of D. Lemire and L. Boytsov, "Decoding billions of integers per second through vectorization" (2015).
/// </summary>
/// <remarks>Safety of the pointers: a call reads exactly <see cref="Size"/> bytes at the source and writes 128 numbers; callers check both rooms.</remarks>
internal static unsafe class BlockCodec
{
    /// <summary>Numbers in a block.</summary>
    public const int Length = 128;

    /// <summary>Bytes of a block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(int width) => width * (Length / 8);

    /// <summary>Writes 128 numbers, none of which needs more than <paramref name="width"/> bits; returns the bytes written.</summary>
    public static int Pack(ReadOnlySpan<uint> values, int width, Span<byte> target)
    {
        var words = MemoryMarshal.Cast<byte, uint>(target[..Size(width)]);
        words.Clear();
        for (var i = 0; i < Length && width != 0; i++)
        {
            var bit = (i >> 2) * width;
            var word = ((bit >> 5) << 2) + (i & 3);
            var shift = bit & 31;
            words[word] |= values[i] << shift;
            if (shift + width > 32)
                words[word + 4] |= values[i] >> (32 - shift);
        }

        return Size(width);
    }

    /// <summary>Reads 128 numbers, and adds one to each.</summary>
    public static void UnpackPlusOne(byte* source, int width, uint* target)
    {
        var mask = Vector128.Create(width == 32 ? uint.MaxValue : (1u << width) - 1);
        for (var row = 0; row < Length / 4; row++)
            (Row(source, row * width, width, mask) + Vector128<uint>.One).Store(target + (row * 4));
    }

    /// <summary>Reads 128 gaps, each one less than the distance to the number before, and adds them up from <paramref name="before"/> on.</summary>
    public static void UnpackGaps(byte* source, int width, int before, int* target)
    {
        if (width == 0)
        {
            var next = Vector128.Create(before) + Vector128.Create(1, 2, 3, 4);
            for (var i = 0; i < Length; i += 4, next += Vector128.Create(4))
                next.Store(target + i);
            return;
        }

        var mask = Vector128.Create(width == 32 ? uint.MaxValue : (1u << width) - 1);
        var one = Vector128<uint>.One;
        var last = Vector128.Create((uint)before);
        for (var row = 0; row < Length / 4; row++)
        {
            var sum = Row(source, row * width, width, mask) + one;
            sum += Vector128.ShiftLeft(sum.AsUInt64(), 32).AsUInt32();
            sum += Vector128.Shuffle(sum, Vector128.Create(4u, 4u, 1u, 1u));
            // Only one addition waits for the row before.
            (sum + last).Store((uint*)target + (row * 4));
            last += Vector128.Shuffle(sum, Vector128.Create(3u, 3u, 3u, 3u));
        }
    }

    /// <summary>Four numbers whose bits begin at <paramref name="bit"/> of their lanes. Loads a second word only where a number goes on into it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<uint> Row(byte* source, int bit, int width, Vector128<uint> mask)
    {
        if (width == 0)
            return default;
        var word = source + ((bit >> 5) * 16);
        var shift = bit & 31;
        var values = Vector128.Load((uint*)word) >>> shift;
        if (shift + width > 32)
            values |= Vector128.Load((uint*)(word + 16)) << (32 - shift);
        return values & mask;
    }
}
