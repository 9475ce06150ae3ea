using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>A hash of short byte strings: folded 64-bit products, as in the hashes of the wyhash family.</summary>
/// <remarks>Reads exactly <c>length</c> bytes from the pointer on.</remarks>
internal static unsafe class TermHash
{
    private const ulong First = 0xA0761D6478BD642F;
    private const ulong Second = 0xE7037ED1A0B428DB;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(byte* bytes, int length)
    {
        ulong low,
            high;
        if (length >= 8)
        {
            var seed = First;
            var left = length;
            for (; left > 16; left -= 16, bytes += 16)
                seed = Fold(Unsafe.ReadUnaligned<ulong>(bytes) ^ Second, Unsafe.ReadUnaligned<ulong>(bytes + 8) ^ seed);
            low = Unsafe.ReadUnaligned<ulong>(left >= 8 ? bytes : bytes + left - 8) ^ seed;
            high = Unsafe.ReadUnaligned<ulong>(bytes + left - 8);
        }
        else if (length >= 4)
        {
            low = Unsafe.ReadUnaligned<uint>(bytes);
            high = Unsafe.ReadUnaligned<uint>(bytes + length - 4);
        }
        else if (length > 0)
        {
            low = ((ulong)bytes[0] << 16) | ((ulong)bytes[length >> 1] << 8) | bytes[length - 1];
            high = 0;
        }
        else
        {
            low = high = 0;
        }

        return Fold(low ^ First ^ (ulong)length, high ^ Second);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        var high = Math.BigMul(left, right, out var low);
        return high ^ low;
    }
}
