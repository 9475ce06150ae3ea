using System.Runtime.InteropServices;

namespace Pipeline.Backups.Chunks;

/// <summary>What a chunk is found by: the SHA-256 of its content, or in an encrypted repository a keyed one, so that nobody can tell by it what is inside.</summary>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct ChunkId
{
    /// <summary>Its bytes.</summary>
    public const int Length = 32;

    private readonly UInt128 _first;
    private readonly UInt128 _second;

    /// <summary>Of 32 bytes.</summary>
    public ChunkId(ReadOnlySpan<byte> bytes)
    {
        _first = System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(bytes);
        _second = System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(bytes[16..]);
    }

    /// <summary>Reads 64 hexadecimal digits.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out ChunkId id)
    {
        Span<byte> bytes = stackalloc byte[Length];
        var valid = text.Length == 2 * Length && Convert.FromHexString(text, bytes, out _, out _) == System.Buffers.OperationStatus.Done;
        id = valid ? new ChunkId(bytes) : default;
        return valid;
    }

    /// <summary>Writes the 32 bytes.</summary>
    public void Write(Span<byte> target)
    {
        System.Buffers.Binary.BinaryPrimitives.WriteUInt128BigEndian(target, _first);
        System.Buffers.Binary.BinaryPrimitives.WriteUInt128BigEndian(target[16..], _second);
    }

    /// <summary>64 hexadecimal digits, lower case.</summary>
    public override string ToString()
    {
        Span<byte> bytes = stackalloc byte[Length];
        Write(bytes);
        return Convert.ToHexStringLower(bytes);
    }
}
