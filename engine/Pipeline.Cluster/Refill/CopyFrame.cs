using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>The kind of a frame of a copy. README.md describes the payloads.</summary>
internal enum CopyFrameKind : byte
{
    /// <summary>The copy begins.</summary>
    Begin = 1,

    /// <summary>A store begins.</summary>
    Store = 2,

    /// <summary>Pages of the store.</summary>
    Part = 3,

    /// <summary>The pages are complete; the journal written since follows.</summary>
    Log = 4,

    /// <summary>A transaction of the journal.</summary>
    Transaction = 5,

    /// <summary>The store is complete.</summary>
    StoreEnd = 6,

    /// <summary>The copy is complete.</summary>
    End = 7,

    /// <summary>The sender cannot complete the copy; the payload says why.</summary>
    Failed = 8,
}

/// <summary>The header of a frame. It describes the payload and is covered by its own checksum.</summary>
/// <param name="Kind">What the payload holds.</param>
/// <param name="Number">The number of the frame in its copy, from 0.</param>
/// <param name="Length">The payload's bytes.</param>
/// <param name="Sum">The payload's CRC-32C.</param>
internal readonly record struct CopyFrame(CopyFrameKind Kind, uint Number, int Length, uint Sum)
{
    /// <summary>The bytes of a header.</summary>
    public const int HeaderBytes = 24;

    /// <summary>The longest payload: a transaction of the largest size that a store takes by default.</summary>
    public const int MaxLength = 1 << 30;

    private const uint Magic = 0x31465043; // "CPF1" in bytes

    /// <summary>Writes the header of a payload.</summary>
    public static void Write(Span<byte> header, CopyFrameKind kind, uint number, ReadOnlySpan<byte> payload)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt32LittleEndian(header[8..], number);
        BinaryPrimitives.WriteInt32LittleEndian(header[12..], payload.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[16..], (uint)kind);
        BinaryPrimitives.WriteUInt32LittleEndian(header[20..], Crc32C.Compute(0, payload));
        BinaryPrimitives.WriteUInt32LittleEndian(header[4..], Crc32C.Compute(0, header[8..HeaderBytes]));
    }

    /// <summary>Reads a header.</summary>
    /// <exception cref="CopyDamagedException">It is damaged, or is not the one expected next.</exception>
    public static CopyFrame Read(ReadOnlySpan<byte> header, uint expected)
    {
        if (
            BinaryPrimitives.ReadUInt32LittleEndian(header) != Magic
            || BinaryPrimitives.ReadUInt32LittleEndian(header[4..]) != Crc32C.Compute(0, header[8..HeaderBytes])
        )
        {
            throw new CopyDamagedException(expected, "its header is damaged");
        }

        var read = new CopyFrame(
            (CopyFrameKind)BinaryPrimitives.ReadUInt32LittleEndian(header[16..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(header[12..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[20..])
        );
        if (read.Number != expected)
            throw new CopyDamagedException(expected, $"frame {read.Number} came in its place");
        if (read.Length is < 0 or > MaxLength)
            throw new CopyDamagedException(expected, $"it claims {read.Length} bytes; at most {MaxLength} are taken");
        return read;
    }

    /// <summary>Verifies the payload.</summary>
    /// <exception cref="CopyDamagedException">It is damaged.</exception>
    public void Verify(ReadOnlySpan<byte> payload)
    {
        if (Crc32C.Compute(0, payload) != Sum)
            throw new CopyDamagedException(Number, "its checksum does not match");
    }
}
