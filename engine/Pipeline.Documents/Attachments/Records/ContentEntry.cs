using System.Buffers.Binary;

namespace Pipeline.Documents;

/// <summary>
/// The value under a content's hash: under which number its parts are, how many attachments have it, its size.
/// </summary>
internal readonly record struct ContentEntry(long Number, long References, long Size)
{
    internal const int Bytes = 24;

    internal static ContentEntry Read(ReadOnlySpan<byte> bytes, string database) =>
        bytes.Length == Bytes
            ? new(
                BinaryPrimitives.ReadInt64LittleEndian(bytes),
                BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]),
                BinaryPrimitives.ReadInt64LittleEndian(bytes[16..])
            )
            : throw new DatabaseCorruptException(
                database,
                $"the entry of an attachment's content has {bytes.Length} bytes, not {Bytes}"
            );

    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, Number);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], References);
        BinaryPrimitives.WriteInt64LittleEndian(target[16..], Size);
    }
}
