using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <summary>
/// 128 numbers of one width in four interleaved lanes: number i lies in lane i mod 4. Four numbers are unpacked at a
/// time, and a block takes 16 bytes per bit of width. The layout of D. Lemire and L. Boytsov, "Decoding billions of
/// integers per second through vectorization" (2015).
/// </summary>
/// <remarks>
/// Safety of the pointers: a call reads exactly <see cref="Size"/> bytes at the source and writes 128 numbers; callers
/// check both rooms.
/// </remarks>
internal static unsafe class BlockCodec
{
    /// <summary>Numbers in a block.</summary>
    public const int Length = 128;

    /// <summary>Bytes of a block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(int width) => width * (Length / 8);

    /// <summary>
    /// Writes 128 numbers and returns the bytes written. No number may need more than <paramref name="width"/> bits.
    /// </summary>
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

    /// <summary>
    /// Reads 128 gaps, each one less than the distance to the number before, and adds them up from
    /// <paramref name="before"/> on.
    /// </summary>
    public static void UnpackGaps(byte* source, int width, int before, int* target)
    {
        if (width == 0)
        {
            var eight = Vector256.Create(before) + Vector256.Create(1, 2, 3, 4, 5, 6, 7, 8);
            for (var i = 0; i < Length; i += 8, eight += Vector256.Create(8))
                eight.Store(target + i);
            return;
        }

        var all = width == 32 ? uint.MaxValue : (1u << width) - 1;
        var last = Vector256.Create((uint)before);
        var next = (uint*)target;
        if (width < 32 && BitOperations.IsPow2(width))
        {
            // No number continues into a second word: two rows are next to each other.
            var mask = Vector256.Create(all);
            for (var word = 0; word < width; word++)
            {
                var rows = Vector128.Load((uint*)(source + (word * 16)));
                var both = Vector256.Create(rows, rows >>> width);
                for (var shift = 0; shift < 32; shift += 2 * width, next += 8)
                    last = StoreSums((both >>> shift) & mask, last, next);
            }

            return;
        }

        var ofRow = Vector128.Create(all);
        for (var row = 0; row < Length / 4; row += 2, next += 8)
        {
            last = StoreSums(
                Vector256.Create(Row(source, row * width, width, ofRow), Row(source, (row + 1) * width, width, ofRow)),
                last,
                next
            );
        }
    }

    /// <summary>
    /// Stores the running sums of eight gaps, starting from the previous sum in all lanes; returns the last sum, eight
    /// times. Only one addition depends on the previous sum.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<uint> StoreSums(Vector256<uint> gaps, Vector256<uint> before, uint* target)
    {
        var sum = gaps + Vector256<uint>.One;
        sum += Vector256.ShiftLeft(sum.AsUInt64(), 32).AsUInt32();
        sum += Vector256.Shuffle(sum, Vector256.Create(8u, 8u, 1u, 1u, 8u, 8u, 5u, 5u));
        sum += Vector256.Shuffle(sum, Vector256.Create(8u, 8u, 8u, 8u, 3u, 3u, 3u, 3u));
        (sum + before).Store(target);
        return before + Vector256.Shuffle(sum, Vector256.Create(7u));
    }

    /// <summary>
    /// Four numbers whose bits begin at <paramref name="bit"/> of their lanes. Loads a second word only if a number
    /// continues into it.
    /// </summary>
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
