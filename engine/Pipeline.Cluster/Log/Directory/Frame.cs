using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// A record in a segment: its length, a checksum over all that follows, its place, the synced end before its group, its
/// bytes.
/// </summary>
internal static class Frame
{
    public const int HeaderBytes = 24;

    public static byte[] Build(long place, long synced, ReadOnlySpan<byte> record)
    {
        var frame = new byte[HeaderBytes + record.Length];
        BinaryPrimitives.WriteInt32LittleEndian(frame, record.Length);
        BinaryPrimitives.WriteInt64LittleEndian(frame.AsSpan(8), place);
        BinaryPrimitives.WriteInt64LittleEndian(frame.AsSpan(16), synced);
        record.CopyTo(frame.AsSpan(HeaderBytes));
        BinaryPrimitives.WriteUInt32LittleEndian(frame.AsSpan(4), Crc32C.Compute(0, frame.AsSpan(8)));
        return frame;
    }

    /// <summary>The record at a position of a segment, or none if no whole frame of that place is there.</summary>
    public static byte[]? TryRead(SafeFileHandle file, long position, long place, int maxRecordBytes)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        if (ReadFully(file, header, position) < HeaderBytes)
            return null;
        var length = BinaryPrimitives.ReadInt32LittleEndian(header);
        if (length <= 0 || length > maxRecordBytes || BinaryPrimitives.ReadInt64LittleEndian(header[8..]) != place)
            return null;
        var record = new byte[length];
        if (ReadFully(file, record, position + HeaderBytes) < length)
            return null;
        return
            Crc32C.Compute(Crc32C.Compute(0, header[8..]), record)
            == BinaryPrimitives.ReadUInt32LittleEndian(header[4..])
            ? record
            : null;
    }

    /// <summary>
    /// Whether any whole frame in these bytes proves that a place was synced, because the frame's group began after it.
    /// </summary>
    public static bool ProveSynced(ReadOnlySpan<byte> bytes, long place)
    {
        for (; bytes.Length > HeaderBytes; bytes = bytes[1..])
        {
            var length = BinaryPrimitives.ReadInt32LittleEndian(bytes);
            var synced = BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]);
            if (
                synced > place
                && length > 0
                && length <= bytes.Length - HeaderBytes
                && BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]) >= synced
                && Crc32C.Compute(0, bytes[8..(HeaderBytes + length)])
                    == BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..])
            )
            {
                return true;
            }
        }
        return false;
    }

    public static int ReadFully(SafeFileHandle file, Span<byte> target, long position)
    {
        var read = 0;
        while (read < target.Length)
        {
            var n = RandomAccess.Read(file, target[read..], position + read);
            if (n == 0)
                break;
            read += n;
        }
        return read;
    }
}
