using System.Buffers.Binary;

namespace Pipeline.Documents.Events;

/// <summary>
/// The entry of a stream, separate from its events, so that its highest number survives their deletion.
/// </summary>
internal readonly record struct StreamEntry(long Number, long DeletedTo)
{
    internal const int Bytes = 16;

    internal static StreamEntry Read(ReadOnlySpan<byte> value, string database) =>
        value.Length == Bytes
            ? new StreamEntry(
                BinaryPrimitives.ReadInt64LittleEndian(value),
                BinaryPrimitives.ReadInt64LittleEndian(value[8..])
            )
            : throw new DatabaseCorruptException(
                database,
                $"the entry of a stream has {value.Length} bytes, not {Bytes}"
            );

    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, Number);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], DeletedTo);
    }
}
