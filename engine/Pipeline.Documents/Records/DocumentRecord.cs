using System.Buffers.Binary;

namespace Pipeline.Documents;

/// <summary>The value under a position: the change's metadata, the id, and the body unless deleted.</summary>
internal readonly ref struct DocumentRecord
{
    internal const byte Deleted = 1;

    /// <summary>With <see cref="Deleted"/>: the document left the collection for another and is not gone.</summary>
    internal const byte Moved = 2;

    /// <summary>
    /// The body is a stored form of <see cref="Storage.ValueDictionaries"/>, in the group of the collection.
    /// </summary>
    internal const byte Compressed = 4;

    /// <summary>The version replaced another one of the document, be that kept or not.</summary>
    internal const byte Replaces = 8;

    /// <summary>The document has attachments.</summary>
    internal const byte Attached = 16;

    internal const int HeaderBytes = 15;

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _idLength;

    internal DocumentRecord(ReadOnlySpan<byte> bytes, string database)
    {
        if (
            bytes.Length < HeaderBytes
            || HeaderBytes + (_idLength = BinaryPrimitives.ReadUInt16LittleEndian(bytes[13..])) > bytes.Length
        )
        {
            throw new DatabaseCorruptException(database, $"a document record of {bytes.Length} bytes is cut short");
        }

        _bytes = bytes;
    }

    internal byte Flags => _bytes[0];

    internal bool IsDeleted => (_bytes[0] & Deleted) != 0;

    internal bool IsMoved => (_bytes[0] & Moved) != 0;

    internal bool HasFormer => (_bytes[0] & Replaces) != 0;

    internal bool IsCompressed => (_bytes[0] & Compressed) != 0;

    internal int CollectionId => BinaryPrimitives.ReadInt32LittleEndian(_bytes[1..]);

    internal long Ticks => BinaryPrimitives.ReadInt64LittleEndian(_bytes[5..]);

    internal ReadOnlySpan<byte> Id => _bytes.Slice(HeaderBytes, _idLength);

    /// <summary>The record's part of the body; <see cref="DocumentBodies"/> returns the body itself.</summary>
    internal ReadOnlySpan<byte> Body => _bytes[(HeaderBytes + _idLength)..];

    internal static int Size(int idLength, int bodyLength) => checked(HeaderBytes + idLength + bodyLength);

    internal static void Write(
        Span<byte> target,
        byte flags,
        int collectionId,
        long ticks,
        ReadOnlySpan<byte> id,
        ReadOnlySpan<byte> body
    )
    {
        target[0] = flags;
        BinaryPrimitives.WriteInt32LittleEndian(target[1..], collectionId);
        BinaryPrimitives.WriteInt64LittleEndian(target[5..], ticks);
        BinaryPrimitives.WriteUInt16LittleEndian(target[13..], (ushort)id.Length);
        id.CopyTo(target[HeaderBytes..]);
        body.CopyTo(target[(HeaderBytes + id.Length)..]);
    }
}
