using System.Buffers.Binary;

namespace Pipeline.Documents.Events;

/// <summary>The value under a stream's id and a number: a snapshot.</summary>
internal readonly ref struct SnapshotRecord
{
    internal const byte Encrypted = 2;
    internal const int HeaderBytes = 15;
    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _manifest;

    internal SnapshotRecord(ReadOnlySpan<byte> bytes, string database)
    {
        if (
            bytes.Length < HeaderBytes
            || HeaderBytes + (_manifest = BinaryPrimitives.ReadUInt16LittleEndian(bytes[13..])) > bytes.Length
        )
        {
            throw new DatabaseCorruptException(
                database,
                $"the record of a snapshot has {bytes.Length} bytes and is cut short"
            );
        }

        _bytes = bytes;
    }

    internal bool IsEncrypted => (_bytes[0] & Encrypted) != 0;

    internal long Ticks => BinaryPrimitives.ReadInt64LittleEndian(_bytes[1..]);

    internal int SerializerId => BinaryPrimitives.ReadInt32LittleEndian(_bytes[9..]);

    internal ReadOnlySpan<byte> Manifest => _bytes.Slice(HeaderBytes, _manifest);

    internal ReadOnlySpan<byte> Payload => _bytes[(HeaderBytes + _manifest)..];

    internal static void Write(
        Span<byte> target,
        byte flags,
        long ticks,
        int serializer,
        ReadOnlySpan<byte> manifest,
        ReadOnlySpan<byte> payload
    )
    {
        target[0] = flags;
        BinaryPrimitives.WriteInt64LittleEndian(target[1..], ticks);
        BinaryPrimitives.WriteInt32LittleEndian(target[9..], serializer);
        BinaryPrimitives.WriteUInt16LittleEndian(target[13..], (ushort)manifest.Length);
        manifest.CopyTo(target[HeaderBytes..]);
        payload.CopyTo(target[(HeaderBytes + manifest.Length)..]);
    }
}
