using System.Buffers.Binary;

namespace Pipeline.Documents;

/// <summary>
/// The value under an id and the position of a version that another has replaced: FORMAT.md, "Revisions".
/// </summary>
/// <param name="CollectionId">The number of its collection.</param>
/// <param name="Ordinal">Its number among the kept versions of the id, without gaps.</param>
/// <param name="EndTicks">When it was replaced.</param>
/// <param name="Successor">The position of the version, or deletion, that replaced it.</param>
internal readonly record struct RevisionEntry(int CollectionId, long Ordinal, long EndTicks, long Successor)
{
    internal const int Bytes = 28;

    internal static RevisionEntry Read(ReadOnlySpan<byte> value, string database) =>
        value.Length == Bytes
            ? new RevisionEntry(
                BinaryPrimitives.ReadInt32LittleEndian(value),
                BinaryPrimitives.ReadInt64LittleEndian(value[4..]),
                BinaryPrimitives.ReadInt64LittleEndian(value[12..]),
                BinaryPrimitives.ReadInt64LittleEndian(value[20..])
            )
            : throw new DatabaseCorruptException(
                database,
                $"an entry of tree 'revision-ids' has {value.Length} bytes, not {Bytes}"
            );

    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt32LittleEndian(target, CollectionId);
        BinaryPrimitives.WriteInt64LittleEndian(target[4..], Ordinal);
        BinaryPrimitives.WriteInt64LittleEndian(target[12..], EndTicks);
        BinaryPrimitives.WriteInt64LittleEndian(target[20..], Successor);
    }
}
