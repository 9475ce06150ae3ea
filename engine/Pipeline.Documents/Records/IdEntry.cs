using System.Buffers.Binary;

namespace Pipeline.Documents;

/// <summary>
/// The value under an id: where its document or tombstone is, and the tombstones it left in former collections.
/// </summary>
internal readonly ref struct IdEntry
{
    internal const int FixedBytes = 13;
    internal const int FormerBytes = 12;

    private readonly ReadOnlySpan<byte> _bytes;

    internal IdEntry(ReadOnlySpan<byte> bytes, string database)
    {
        if (bytes.Length < FixedBytes || (bytes.Length - FixedBytes) % FormerBytes != 0)
        {
            throw new DatabaseCorruptException(database, $"an id entry has {bytes.Length} bytes");
        }

        _bytes = bytes;
    }

    internal long Position => BinaryPrimitives.ReadInt64LittleEndian(_bytes);

    internal bool IsDeleted => (_bytes[8] & DocumentRecord.Deleted) != 0;

    internal bool HasAttachments => (_bytes[8] & DocumentRecord.Attached) != 0;

    internal int CollectionId => BinaryPrimitives.ReadInt32LittleEndian(_bytes[9..]);

    internal ReadOnlySpan<byte> Formers => _bytes[FixedBytes..];

    internal static void Write(Span<byte> target, long position, byte flags, int collectionId)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, position);
        target[8] = flags;
        BinaryPrimitives.WriteInt32LittleEndian(target[9..], collectionId);
    }
}
