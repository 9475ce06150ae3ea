using System.Buffers.Binary;

namespace Pipeline.Documents.Events;

/// <summary>The value under a stream and a number: the event's metadata and its payload.</summary>
internal readonly ref struct EventRecord
{
    internal const byte HasDocument = 1;

    /// <summary>The payload is sealed under the stream's key.</summary>
    internal const byte Encrypted = 2;

    internal const int HeaderBytes = 27;

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _manifest;
    private readonly int _writer;
    private readonly int _tags;

    internal EventRecord(ReadOnlySpan<byte> bytes, string database)
    {
        if (bytes.Length < HeaderBytes)
            throw Cut(bytes.Length, database);
        _manifest = BinaryPrimitives.ReadUInt16LittleEndian(bytes[21..]);
        _writer = BinaryPrimitives.ReadUInt16LittleEndian(bytes[23..]);
        _tags = BinaryPrimitives.ReadUInt16LittleEndian(bytes[25..]);
        if (HeaderBytes + _manifest + _writer + _tags > bytes.Length)
            throw Cut(bytes.Length, database);
        _bytes = bytes;
    }

    internal byte Flags => _bytes[0];

    internal bool IsEncrypted => (_bytes[0] & Encrypted) != 0;

    internal long Position => BinaryPrimitives.ReadInt64LittleEndian(_bytes[1..]);

    internal long Ticks => BinaryPrimitives.ReadInt64LittleEndian(_bytes[9..]);

    internal int SerializerId => BinaryPrimitives.ReadInt32LittleEndian(_bytes[17..]);

    internal ReadOnlySpan<byte> Manifest => _bytes.Slice(HeaderBytes, _manifest);

    internal ReadOnlySpan<byte> Writer => _bytes.Slice(HeaderBytes + _manifest, _writer);

    /// <summary>The tags, each two bytes of length and its UTF-8.</summary>
    internal ReadOnlySpan<byte> Tags => _bytes.Slice(HeaderBytes + _manifest + _writer, _tags);

    internal ReadOnlySpan<byte> Payload => _bytes[(HeaderBytes + _manifest + _writer + _tags)..];

    internal static int Size(int manifest, int writer, int tags, int payload) =>
        checked(HeaderBytes + manifest + writer + tags + payload);

    internal static void Write(
        Span<byte> target,
        byte flags,
        long position,
        long ticks,
        int serializer,
        ReadOnlySpan<byte> manifest,
        ReadOnlySpan<byte> writer,
        ReadOnlySpan<byte> tags,
        ReadOnlySpan<byte> payload
    )
    {
        target[0] = flags;
        BinaryPrimitives.WriteInt64LittleEndian(target[1..], position);
        BinaryPrimitives.WriteInt64LittleEndian(target[9..], ticks);
        BinaryPrimitives.WriteInt32LittleEndian(target[17..], serializer);
        BinaryPrimitives.WriteUInt16LittleEndian(target[21..], (ushort)manifest.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(target[23..], (ushort)writer.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(target[25..], (ushort)tags.Length);
        manifest.CopyTo(target = target[HeaderBytes..]);
        writer.CopyTo(target = target[manifest.Length..]);
        tags.CopyTo(target = target[writer.Length..]);
        payload.CopyTo(target[tags.Length..]);
    }

    /// <summary>Takes the first tag off.</summary>
    internal static ReadOnlySpan<byte> NextTag(ref ReadOnlySpan<byte> tags, string database)
    {
        var length = tags.Length < 2 ? int.MaxValue : BinaryPrimitives.ReadUInt16LittleEndian(tags);
        if (length > tags.Length - 2)
            throw new DatabaseCorruptException(database, "the tags of an event are cut short");
        var tag = tags.Slice(2, length);
        tags = tags[(2 + length)..];
        return tag;
    }

    private static DatabaseCorruptException Cut(int length, string database) =>
        new(database, $"the record of an event has {length} bytes and is cut short");
}
