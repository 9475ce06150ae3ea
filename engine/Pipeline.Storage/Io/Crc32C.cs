using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;

namespace Pipeline.Storage;

/// <summary>
/// CRC-32C (Castagnoli, reflected 0x82F63B78), by the processor's instruction if it has one. Long input runs in three
/// interleaved lanes, which hides the instruction's latency. The operator that appends zeros joins the lanes: a linear
/// map over GF(2), stored as tables for the one lane length used, as in Mark Adler's description of the method.
/// </summary>
internal static unsafe class Crc32C
{
    private const int Lane = 2720;
    private static readonly uint[] Shift = BuildShift(Lane);
    private static readonly uint[] Powers = BuildPowers();

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
            uint b = 0,
                c = 0;
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

    /// <summary>
    /// Takes a word into the plain remainder (without the inversions of a checksum), which is linear in the bits of the
    /// input.
    /// </summary>
    public static uint Continue(uint remainder, ulong word) => BitOperations.Crc32C(remainder, word);

    /// <summary>
    /// Takes the bits in which two blocks differ into the plain remainder. The length is a multiple of 8.
    /// </summary>
    public static uint Continue(uint remainder, byte* first, byte* second, int length)
    {
        for (var i = 0; i < length; i += 8)
            remainder = BitOperations.Crc32C(remainder, *(ulong*)(first + i) ^ *(ulong*)(second + i));
        return remainder;
    }

    /// <summary>
    /// Appends 0 to 128 blocks of 64 zero bytes to the plain remainder. This is a multiplication by a power of x; the
    /// checksum instruction itself reduces the product (Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using
    /// CRC32 Instruction", 2011).
    /// </summary>
    public static uint Skip(uint remainder, int blocks)
    {
        if (blocks == 0)
            return remainder;
        return BitOperations.Crc32C(0, Multiply(remainder, Powers[blocks]));
    }

    /// <summary>
    /// The product of two polynomials over GF(2), by the instruction of x64 or ARM64 if the processor has one.
    /// </summary>
    public static ulong Multiply(uint first, uint second)
    {
        if (Pclmulqdq.IsSupported)
        {
            return Pclmulqdq
                .CarrylessMultiply(Vector128.CreateScalar((ulong)first), Vector128.CreateScalar((ulong)second), 0)
                .ToScalar();
        }
        if (ArmAes.IsSupported)
        {
            return ArmAes
                .PolynomialMultiplyWideningLower(Vector64.Create((ulong)first), Vector64.Create((ulong)second))
                .AsUInt64()
                .ToScalar();
        }
        return MultiplyPlainly(first, second);
    }

    /// <summary><see cref="Multiply"/> without such an instruction.</summary>
    public static ulong MultiplyPlainly(uint first, uint second)
    {
        ulong product = 0;
        for (ulong shifted = first; second != 0; second >>= 1, shifted <<= 1)
            product ^= shifted & (0 - (ulong)(second & 1));
        return product;
    }

    /// <summary>
    /// At n: x to the power of 512 n − 33, modulo the polynomial; the 33 are what the multiplication adds.
    /// </summary>
    private static uint[] BuildPowers()
    {
        var powers = new uint[129];
        var power = 0x80000000U >> ((512 - 33) & 31);
        for (var bits = (512 - 33) / 32; bits > 0; bits--)
            power = BitOperations.Crc32C(power, 0U);
        for (var n = 1; n < powers.Length; n++)
        {
            powers[n] = power;
            for (var i = 0; i < 16; i++)
                power = BitOperations.Crc32C(power, 0U);
        }
        return powers;
    }

    private static uint AppendLane(uint crc) =>
        Shift[crc & 255]
        ^ Shift[256 + ((crc >> 8) & 255)]
        ^ Shift[512 + ((crc >> 16) & 255)]
        ^ Shift[768 + (crc >> 24)];

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
