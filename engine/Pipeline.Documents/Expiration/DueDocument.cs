using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents;

/// <summary>
/// An entry of tree <c>due-documents</c>: a version of a document with the time at which something is done with it.
/// </summary>
internal readonly record struct DueDocument(DueKind Kind, long Ticks, long Position, string Id)
{
    internal const int KeyBytes = 1 + 8 + DocumentKeys.PositionBytes;

    internal byte[] Key()
    {
        var key = new byte[KeyBytes];
        WritePrefix(key, Kind, Ticks);
        DocumentKeys.WritePosition(key.AsSpan(9), Position);
        return key;
    }

    internal static DueDocument Read(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        new(
            (DueKind)key[0],
            BinaryPrimitives.ReadInt64BigEndian(key[1..]),
            DocumentKeys.ReadPosition(key[9..]),
            Encoding.UTF8.GetString(value)
        );

    internal static void WritePrefix(Span<byte> key, DueKind kind, long ticks)
    {
        key[0] = (byte)kind;
        BinaryPrimitives.WriteInt64BigEndian(key[1..], ticks);
    }
}

/// <summary>The action on a document at its time; the first byte of the keys of tree <c>due-documents</c>.</summary>
internal enum DueKind : byte
{
    /// <summary>It is deleted.</summary>
    Expires = 1,

    /// <summary>It is stored again without the time.</summary>
    Refresh = 2,
}
