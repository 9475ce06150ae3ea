using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>Keys and small values of the trees of events; FORMAT.md, "Events".</summary>
internal static class EventKeys
{
    internal const int MaxStreamIdBytes = 512;
    internal const int MaxTagBytes = 256;
    internal const int MaxManifestBytes = 4_096;
    internal const int MaxWriterBytes = 512;

    /// <summary>Key of an event: number of the stream, number in the stream.</summary>
    internal const int EventBytes = 16;

    /// <summary>Value of a position: key of the event, time.</summary>
    internal const int PlaceBytes = EventBytes + 8;
    internal const int MaxTagKeyBytes = MaxTagBytes + 1 + DocumentKeys.PositionBytes;
    internal const int MaxSnapshotKeyBytes = MaxStreamIdBytes + 1 + 8;

    internal static void WriteEvent(Span<byte> key, long stream, long sequence)
    {
        BinaryPrimitives.WriteInt64BigEndian(key, stream);
        BinaryPrimitives.WriteInt64BigEndian(key[8..], sequence);
    }

    internal static long Stream(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key);

    internal static long Sequence(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key[8..]);

    internal static long PlaceTicks(ReadOnlySpan<byte> place) =>
        BinaryPrimitives.ReadInt64LittleEndian(place[EventBytes..]);

    internal static int WriteTag(Span<byte> key, ReadOnlySpan<byte> tag, long position)
    {
        tag.CopyTo(key);
        key[tag.Length] = 0;
        DocumentKeys.WritePosition(key[(tag.Length + 1)..], position);
        return tag.Length + 1 + DocumentKeys.PositionBytes;
    }

    internal static bool IsOfTag(ReadOnlySpan<byte> key, ReadOnlySpan<byte> tag) =>
        key.Length == tag.Length + 9 && key[tag.Length] == 0 && key.StartsWith(tag);

    internal static int WriteSnapshot(Span<byte> key, ReadOnlySpan<byte> streamId, long sequence) =>
        WriteTag(key, streamId, sequence);

    /// <summary>A stream's id in UTF-8.</summary>
    internal static int EncodeStreamId(string id, Span<byte> utf8) =>
        Encode(id, utf8, MaxStreamIdBytes, "id of a stream");

    internal static int EncodeTag(string tag, Span<byte> utf8) => Encode(tag, utf8, MaxTagBytes, "tag");

    private static int Encode(string text, Span<byte> utf8, int most, string what)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Length == 0)
            throw new InvalidEventException($"A {what} must not be empty.");
        if (!Encoding.UTF8.TryGetBytes(text, utf8[..most], out var written))
        {
            throw new InvalidEventException(
                $"The {what} '{DocumentKeys.Printable(text[..Math.Min(text.Length, 100)])}…' has more than {most} bytes of UTF-8."
            );
        }

        return utf8[..written].Contains((byte)0)
            ? throw new InvalidEventException($"The {what} '{DocumentKeys.Printable(text)}' holds a zero byte.")
            : written;
    }
}
