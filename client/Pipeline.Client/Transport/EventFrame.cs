using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using System.Text;

namespace Pipeline.Client.Transport;

/// <summary>
/// A request for events, in the server's frames: numbers little-endian, texts and bytes after their length in 4 bytes
/// (server/README.md, "Events").
/// </summary>
internal sealed class EventFrame
{
    public const int Done = 0;
    public const int Conflict = 1;
    public const int KeyDestroyed = 2;
    public const int Invalid = 3;
    private readonly ArrayBufferWriter<byte> _target = new();

    public byte[] Written => _target.WrittenSpan.ToArray();

    public void Int(int value)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_target.GetSpan(4), value);
        _target.Advance(4);
    }

    public void Long(long value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(_target.GetSpan(8), value);
        _target.Advance(8);
    }

    public void Text(string value)
    {
        Int(Encoding.UTF8.GetByteCount(value));
        Encoding.UTF8.GetBytes(value, _target);
    }

    public void Bytes(ReadOnlySpan<byte> value)
    {
        Int(value.Length);
        _target.Write(value);
    }

    public void Texts(IReadOnlyList<string>? values)
    {
        Int(values?.Count ?? -1);
        foreach (var value in values ?? [])
            Text(value);
    }
}

/// <summary>The answer to an <see cref="EventFrame"/>.</summary>
/// <param name="source">The bytes.</param>
internal sealed class EventFrameAnswer(ReadOnlyMemory<byte> source)
{
    private ReadOnlyMemory<byte> _rest = source;

    public int Int() => BinaryPrimitives.ReadInt32LittleEndian(Take(4).Span);

    public long Long() => BinaryPrimitives.ReadInt64LittleEndian(Take(8).Span);

    public string Text() => Encoding.UTF8.GetString(Take(Int()).Span);

    public EventRows Rows()
    {
        var (through, hasMore, count) = (Long(), Int() != 0, Int());
        var rows = new List<EventRow>();
        while (count-- > 0)
        {
            var (position, stream, number, ticks) = (Long(), Text(), Long(), Long());
            // The serializer's number and the writer mean nothing here.
            Int();
            var name = Text();
            Text();
            rows.Add(
                new EventRow(
                    position,
                    stream,
                    number,
                    new DateTimeOffset(ticks, TimeSpan.Zero),
                    name,
                    Texts(),
                    Take(Int()),
                    Int() != 0
                )
            );
        }

        return new EventRows(rows, through, hasMore);
    }

    private List<string> Texts()
    {
        var texts = new List<string>();
        for (var count = Int(); count > 0; count--)
            texts.Add(Text());
        return texts;
    }

    private ReadOnlyMemory<byte> Take(int length)
    {
        if (length < 0 || length > _rest.Length)
        {
            throw new ServerException(
                $"the server's answer about events ends too early: {length} bytes are announced and {_rest.Length} are there",
                (int)HttpStatusCode.OK
            );
        }

        var taken = _rest[..length];
        _rest = _rest[length..];
        return taken;
    }
}
