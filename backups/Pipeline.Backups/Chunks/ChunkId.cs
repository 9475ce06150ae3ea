using System.Runtime.InteropServices;

namespace Pipeline.Backups.Chunks;

/// <summary>
/// The name of a chunk: the SHA-256 of its content. An encrypted repository uses HMAC-SHA-256 instead, so that names do
/// not reveal contents.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct ChunkId
{
    /// <summary>Its length in bytes.</summary>
    public const int Length = 32;

    private readonly UInt128 _first;
    private readonly UInt128 _second;

    /// <summary>Creates an id from 32 bytes.</summary>
    public ChunkId(ReadOnlySpan<byte> bytes)
    {
        _first = System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(bytes);
        _second = System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(bytes[16..]);
    }

    /// <summary>Parses 64 hexadecimal digits.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out ChunkId id)
    {
        Span<byte> bytes = stackalloc byte[Length];
        var valid =
            text.Length == 2 * Length
            && Convert.FromHexString(text, bytes, out _, out _) == System.Buffers.OperationStatus.Done;
        id = valid ? new ChunkId(bytes) : default;
        return valid;
    }

    /// <summary>Writes the 32 bytes.</summary>
    public void Write(Span<byte> target)
    {
        System.Buffers.Binary.BinaryPrimitives.WriteUInt128BigEndian(target, _first);
        System.Buffers.Binary.BinaryPrimitives.WriteUInt128BigEndian(target[16..], _second);
    }

    /// <summary>Formats the id as 64 lower-case hexadecimal digits.</summary>
    public override string ToString()
    {
        Span<byte> bytes = stackalloc byte[Length];
        Write(bytes);
        return Convert.ToHexStringLower(bytes);
    }
}
