using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Pipeline.Cluster;

/// <summary>
/// A hash over a sequence of records, 16 bytes. Two nodes with the same chain have accepted the same records in the
/// same order.
/// </summary>
/// <remarks>
/// The chain is the SHA-256 of the chain before and of the record's SHA-256, truncated to 16 bytes. The hash must be
/// cryptographic: it decides whether data is equal and may be dropped, and clients choose the bytes that are hashed.
/// .NET computes SHA-256 with the processor's instructions.
/// </remarks>
public readonly record struct Chain
{
    /// <summary>The number of bytes of a chain.</summary>
    public const int Length = 16;

    private readonly UInt128 _value;

    private Chain(UInt128 value) => _value = value;

    /// <summary>Reads a chain from its first <see cref="Length"/> bytes.</summary>
    public static Chain Read(ReadOnlySpan<byte> source) => new(BinaryPrimitives.ReadUInt128BigEndian(source));

    /// <summary>Writes the chain into the first <see cref="Length"/> bytes.</summary>
    public void Write(Span<byte> target) => BinaryPrimitives.WriteUInt128BigEndian(target, _value);

    /// <summary>
    /// Replaces SHA-256 on this thread. Only simulations set it: their records are short, so hashing would take most of
    /// their time.
    /// </summary>
    [field: ThreadStatic]
    internal static IChainHash? Substitute { get; set; }

    /// <summary>The chain after one more record. Allocates nothing.</summary>
    public Chain Append(ReadOnlySpan<byte> record) =>
        Substitute is { } substitute ? substitute.Append(this, record) : Hash(record);

    private Chain Hash(ReadOnlySpan<byte> record)
    {
        Span<byte> joined = stackalloc byte[Length + SHA256.HashSizeInBytes];
        Write(joined);
        SHA256.HashData(record, joined[Length..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(joined, hash);
        return Read(hash);
    }

    /// <summary>The chain as 32 hexadecimal digits.</summary>
    public override string ToString() => _value.ToString("x32", System.Globalization.CultureInfo.InvariantCulture);
}

/// <summary>A hash over a sequence of records.</summary>
internal interface IChainHash
{
    /// <summary>The chain after one more record.</summary>
    Chain Append(Chain before, ReadOnlySpan<byte> record);
}
