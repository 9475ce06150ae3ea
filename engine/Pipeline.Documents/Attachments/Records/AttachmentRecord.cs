using System.Buffers.Binary;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// The value under an attachment's key. Fixed part: position (8), size (8), hash (32), bytes of the type (2); then the
/// type and the name.
/// </summary>
internal readonly ref struct AttachmentRecord
{
    private const int HeaderBytes = 8 + 8 + AttachmentKeys.HashBytes + 2;

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _typeLength;

    internal AttachmentRecord(ReadOnlySpan<byte> bytes, string database)
    {
        if (
            bytes.Length < HeaderBytes
            || HeaderBytes + (_typeLength = BinaryPrimitives.ReadUInt16LittleEndian(bytes[(HeaderBytes - 2)..]))
                > bytes.Length
        )
        {
            throw new DatabaseCorruptException(
                database,
                $"the record of an attachment has {bytes.Length} bytes and is cut short"
            );
        }

        _bytes = bytes;
    }

    internal long Position => BinaryPrimitives.ReadInt64LittleEndian(_bytes);

    internal long Size => BinaryPrimitives.ReadInt64LittleEndian(_bytes[8..]);

    internal ReadOnlySpan<byte> Hash => _bytes.Slice(16, AttachmentKeys.HashBytes);

    internal string ContentType => Encoding.UTF8.GetString(_bytes.Slice(HeaderBytes, _typeLength));

    internal string Name => Encoding.UTF8.GetString(_bytes[(HeaderBytes + _typeLength)..]);

    internal Attachment ToAttachment(string documentId, string databaseId) =>
        new(
            documentId,
            Name,
            ContentType,
            Convert.ToBase64String(Hash),
            Size,
            MetadataRules.ChangeVectorOf(Position, databaseId)
        );

    internal static byte[] ToBytes(long position, long size, ReadOnlySpan<byte> hash, string contentType, string name)
    {
        byte[] type = Encoding.UTF8.GetBytes(contentType),
            utf8Name = Encoding.UTF8.GetBytes(name);
        var bytes = new byte[HeaderBytes + type.Length + utf8Name.Length];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, position);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(8), size);
        hash.CopyTo(bytes.AsSpan(16));
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(HeaderBytes - 2), checked((ushort)type.Length));
        type.CopyTo(bytes, HeaderBytes);
        utf8Name.CopyTo(bytes, HeaderBytes + type.Length);
        return bytes;
    }
}
