using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// CRC-32C (Castagnoli, reflected 0x82F63B78), by the processor's instruction where it has one. Long input runs in three interleaved lanes,
/// which hides the instruction's latency; the lanes are joined by the operator that appends zeros (a linear map over GF(2), kept as tables
/// for the one lane length used), as in Mark Adler's description of the method.
/// </summary>
internal static unsafe class Crc32C
{
    private const int Lane = 2720;
    private static readonly uint[] Shift = BuildShift(Lane);

    /// <summary>The checksum of the bytes that continue those of an earlier checksum (0 for none).</summary>
    public static uint Compute(uint earlier, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
            return Compute(earlier, start, bytes.Length);
    }

    /// <inheritdoc cref="Compute(uint, ReadOnlySpan{byte})"/>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Its loop would run unoptimised for the first commits.
    public static uint Compute(uint earlier, byte* bytes, long length)
    {
        var crc = ~earlier;
        while (length >= 3 * Lane)
        {
            uint b = 0, c = 0;
            for (var i = 0; i < Lane; i += 8)
            {
                crc = BitOperations.Crc32C(crc, *(ulong*)(bytes + i));
                b = BitOperations.Crc32C(b, *(ulong*)(bytes + Lane + i));
                c = BitOperations.Crc32C(c, *(ulong*)(bytes + (2 * Lane) + i));
            }
            crc = AppendLane(AppendLane(crc) ^ b) ^ c;
            bytes += 3 * Lane;
            length -= 3 * Lane;
        }
        for (; length >= 8; length -= 8, bytes += 8)
            crc = BitOperations.Crc32C(crc, *(ulong*)bytes);
        for (; length > 0; length--, bytes++)
            crc = BitOperations.Crc32C(crc, *bytes);
        return ~crc;
    }

    /// <summary>The checksum of a number, to seed others with.</summary>
    public static uint OfNumber(long value)
    {
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        return Compute(0, bytes);
    }

    private static uint AppendLane(uint crc) =>
        Shift[crc & 255] ^ Shift[256 + ((crc >> 8) & 255)] ^ Shift[512 + ((crc >> 16) & 255)] ^ Shift[768 + (crc >> 24)];

    private static uint[] BuildShift(int zeros)
    {
        var basis = new uint[32];
        for (var bit = 0; bit < 32; bit++)
        {
            var crc = 1u << bit;
            for (var i = 0; i < zeros; i += 8)
                crc = BitOperations.Crc32C(crc, 0UL);
            basis[bit] = crc;
        }
        var table = new uint[1024];
        for (var b = 0; b < 4; b++)
        {
            for (var v = 0; v < 256; v++)
            {
                uint sum = 0;
                for (var bit = 0; bit < 8; bit++)
                {
                    if ((v & (1 << bit)) != 0)
                        sum ^= basis[(b * 8) + bit];
                }
                table[(b * 256) + v] = sum;
            }
        }
        return table;
    }
}
