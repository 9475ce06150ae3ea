using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Storage;

/// <summary>
/// The byte ranges in which a page differs from its former content. A range is the gap since the end of the previous
/// one, its length (both as base-128 varints), and the bytes; a length of 0 ends the list. Ranges closer than a vector
/// are joined.
/// </summary>
internal static unsafe class PageDiff
{
    private const int JoinGap = 16;

    /// <summary>The most bytes that the ranges can take for a page of the length.</summary>
    public static long MaxSize(long length) => length + (length / JoinGap) + 64;

    /// <summary>
    /// Writes the ranges and returns the place behind them. <paramref name="before"/> null stands for zeros.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Its loop would run unoptimised for the first commits.
    public static byte* Write(byte* before, byte* after, long length, byte* output)
    {
        long end = 0,
            rangeStart = -1,
            rangeEnd = 0;
        for (var at = 0L; at < length; at += 32)
        {
            var now = Vector256.Load(after + at);
            var old = before == null ? Vector256<byte>.Zero : Vector256.Load(before + at);
            var differs = ~Vector256.Equals(now, old).ExtractMostSignificantBits();
            if (differs == 0)
                continue;
            var first = at + BitOperations.TrailingZeroCount(differs);
            var last = at + 32 - BitOperations.LeadingZeroCount(differs);
            if (rangeStart >= 0 && first - rangeEnd >= JoinGap)
            {
                output = WriteRange(output, rangeStart - end, after + rangeStart, rangeEnd - rangeStart);
                end = rangeEnd;
                rangeStart = first;
            }
            else if (rangeStart < 0)
            {
                rangeStart = first;
            }
            rangeEnd = last;
        }
        if (rangeStart >= 0)
            output = WriteRange(output, rangeStart - end, after + rangeStart, rangeEnd - rangeStart);
        *output++ = 0;
        *output++ = 0;
        return output;
    }

    /// <summary>
    /// As <see cref="Write(byte*, byte*, long, byte*)"/>, for one page in which only these lines
    /// (<see cref="PageVersion.DirtyLines"/>) may differ.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static byte* Write(byte* before, byte* after, ulong* dirtyLines, byte* output)
    {
        int end = 0,
            rangeStart = -1,
            rangeEnd = 0;
        for (var half = 0; half < 2; half++)
        {
            for (var bits = dirtyLines[half]; bits != 0; bits &= bits - 1)
            {
                var at = ((half * 64) + BitOperations.TrailingZeroCount(bits)) * PageVersion.LineBytes;
                var low = ~Vector256
                    .Equals(Vector256.Load(after + at), Vector256.Load(before + at))
                    .ExtractMostSignificantBits();
                var high = ~Vector256
                    .Equals(Vector256.Load(after + at + 32), Vector256.Load(before + at + 32))
                    .ExtractMostSignificantBits();
                // A wide gap within the line would be worth two ranges, but is rare.
                var differs = low | ((ulong)high << 32);
                if (differs == 0)
                    continue;
                var first = at + BitOperations.TrailingZeroCount(differs);
                if (rangeStart >= 0 && first - rangeEnd >= JoinGap)
                {
                    output = WriteRange(output, rangeStart - end, after + rangeStart, rangeEnd - rangeStart);
                    end = rangeEnd;
                    rangeStart = first;
                }
                else if (rangeStart < 0)
                {
                    rangeStart = first;
                }
                rangeEnd = at + 64 - BitOperations.LeadingZeroCount(differs);
            }
        }
        if (rangeStart >= 0)
            output = WriteRange(output, rangeStart - end, after + rangeStart, rangeEnd - rangeStart);
        *output++ = 0;
        *output++ = 0;
        return output;
    }

    /// <summary>Applies ranges to a page; null where they do not fit it or the input.</summary>
    public static byte* Apply(byte* input, byte* inputEnd, byte* page, long length)
    {
        var at = 0L;
        while (true)
        {
            if (!ReadVarint(ref input, inputEnd, out var gap) || !ReadVarint(ref input, inputEnd, out var count))
                return null;
            if (count == 0)
                return input;
            if (gap < 0 || count < 0 || gap > length - at || count > length - at - gap || count > inputEnd - input)
                return null;
            at += gap;
            NativeMemory.Copy(input, page + at, (nuint)count);
            at += count;
            input += count;
        }
    }

    /// <summary>Writes a base-128 varint of at most 9 bytes.</summary>
    public static byte* WriteVarint(byte* output, long value)
    {
        for (; value >= 128; value >>= 7)
            *output++ = (byte)(value | 128);
        *output++ = (byte)value;
        return output;
    }

    /// <summary>Reads a varint; false where the input ends within it or it is too long.</summary>
    public static bool ReadVarint(ref byte* input, byte* inputEnd, out long value)
    {
        value = 0;
        for (var shift = 0; shift < 63 && input < inputEnd; shift += 7)
        {
            var b = *input++;
            value |= (long)(b & 127) << shift;
            if (b < 128)
                return true;
        }
        return false;
    }

    private static byte* WriteRange(byte* output, long gap, byte* bytes, long length)
    {
        output = WriteVarint(WriteVarint(output, gap), length);
        NativeMemory.Copy(bytes, output, (nuint)length);
        return output + length;
    }
}
