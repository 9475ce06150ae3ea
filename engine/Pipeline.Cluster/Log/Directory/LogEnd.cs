using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Which records of a directory log are kept: the content of its file <c>end</c>.</summary>
/// <param name="First">The first place that was not trimmed.</param>
/// <param name="End">The place after the last synced record.</param>
/// <param name="Segment">The first place of the file that <paramref name="End"/> is in.</param>
/// <param name="Position">The position of <paramref name="End"/> in that file.</param>
internal readonly record struct LogEnd(long First, long End, long Segment, long Position)
{
    public const int Bytes = 36;

    public void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, First);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], End);
        BinaryPrimitives.WriteInt64LittleEndian(target[16..], Segment);
        BinaryPrimitives.WriteInt64LittleEndian(target[24..], Position);
        BinaryPrimitives.WriteUInt32LittleEndian(target[32..], Crc32C.Compute(0, target[..32]));
    }

    public static bool TryRead(ReadOnlySpan<byte> source, out LogEnd end)
    {
        end = default;
        if (
            source.Length < Bytes
            || BinaryPrimitives.ReadUInt32LittleEndian(source[32..]) != Crc32C.Compute(0, source[..32])
        )
        {
            return false;
        }

        end = new LogEnd(
            BinaryPrimitives.ReadInt64LittleEndian(source),
            BinaryPrimitives.ReadInt64LittleEndian(source[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(source[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(source[24..])
        );
        return true;
    }
}
