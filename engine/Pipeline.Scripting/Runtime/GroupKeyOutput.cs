using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// A group key as bytes: equal keys have equal bytes. Each value is preceded by its member's number and its kind.
/// </summary>
internal sealed class GroupKeyOutput : IIndexOutput
{
    private byte[] _bytes = new byte[64];
    private int _length;

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    public void Reset() => _length = 0;

    public void BeginEntry() { }

    public void Null(MapField field) => Head(field, 'n', 0);

    public void Boolean(MapField field, bool value) => Head(field, value ? 't' : 'f', 0);

    public void Integer(MapField field, long value) => BinaryPrimitives.WriteInt64BigEndian(Head(field, 'i', 8), value);

    public void Real(MapField field, double value)
    {
        // 2.0 and 2 are one key.
        if (value == Math.Floor(value) && Math.Abs(value) < 1L << 53)
            Integer(field, (long)value);
        else
            BinaryPrimitives.WriteDoubleBigEndian(Head(field, 'd', 8), value);
    }

    public void Text(MapField field, ReadOnlySpan<byte> utf8) => Bytes(field, 's', utf8);

    public void Json(MapField field, ReadOnlySpan<byte> utf8) => Bytes(field, 'j', utf8);

    public void Point(MapField field, double latitude, double longitude)
    {
        var bytes = Head(field, 'p', 16);
        BinaryPrimitives.WriteDoubleBigEndian(bytes, latitude);
        BinaryPrimitives.WriteDoubleBigEndian(bytes[8..], longitude);
    }

    public void Shape(MapField field, string wkt) => Bytes(field, 'w', Encoding.UTF8.GetBytes(wkt));

    public void Object(ReadOnlySpan<byte> utf8Json) => throw new NotSupportedException("A group key is not an entry.");

    public void EndEntry() { }

    private void Bytes(MapField field, char kind, ReadOnlySpan<byte> value)
    {
        var bytes = Head(field, kind, value.Length + 4);
        BinaryPrimitives.WriteInt32BigEndian(bytes, value.Length);
        value.CopyTo(bytes[4..]);
    }

    private Span<byte> Head(MapField field, char kind, int size)
    {
        if (_bytes.Length - _length < size + 3)
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _length + size + 3));
        BinaryPrimitives.WriteUInt16BigEndian(_bytes.AsSpan(_length), (ushort)field.Number);
        _bytes[_length + 2] = (byte)kind;
        _length += 3 + size;
        return _bytes.AsSpan(_length - size, size);
    }
}
