using System.Numerics;
using System.Runtime.InteropServices;

namespace Pipeline.Cluster;

/// <summary>CRC-32C (Castagnoli) by the processor's instruction if available.</summary>
internal static class Crc32C
{
    public static uint Compute(ReadOnlySpan<byte> bytes, uint earlier = 0)
    {
        var crc = ~earlier;
        var whole = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (var word in whole)
        {
            crc = BitOperations.Crc32C(
                crc,
                BitConverter.IsLittleEndian ? word : System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(word)
            );
        }

        foreach (var last in bytes[(whole.Length * 8)..])
            crc = BitOperations.Crc32C(crc, last);
        return ~crc;
    }
}
