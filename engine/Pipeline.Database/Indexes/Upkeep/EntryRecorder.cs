using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using Pipeline.Database.Scripts.Indexes;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Keeps what a map or reduce gives until the whole of it is known to be good, then puts it into a batch. Buffers are used again; not thread-safe.
/// </summary>
internal sealed class EntryRecorder(IndexFields fields) : IIndexOutput
{
    private readonly List<IndexFields.Target> _targets = [];
    private readonly Dictionary<MapField, int> _numbers = [];
    private readonly TokenBuffer _tokens = new();
    private readonly ArrayBufferWriter<byte> _stored = new();
    private byte[] _bytes = new byte[1024];
    private int _length;

    private enum Op : byte
    {
        Begin,
        Null,
        False,
        True,
        Integer,
        Real,
        Text,
        Json,
        Point,
        Object,
        End,
    }

    /// <summary>Entries kept.</summary>
    public int Entries { get; private set; }

    /// <summary>Drops what is kept.</summary>
    public void Reset()
    {
        Entries = _length = 0;
        if (_bytes.Length > 4 << 20) _bytes = new byte[1024];
        if (_targets.Count <= 4096) return;
        _targets.Clear();
        _numbers.Clear();
    }

    public void BeginEntry() => Head(Op.Begin, null, 0);

    public void Null(MapField field) => Head(Op.Null, field, 0);

    public void Boolean(MapField field, bool value) => Head(value ? Op.True : Op.False, field, 0);

    public void Integer(MapField field, long value) => BinaryPrimitives.WriteInt64LittleEndian(Head(Op.Integer, field, 8), value);

    public void Real(MapField field, double value) => BinaryPrimitives.WriteDoubleLittleEndian(Head(Op.Real, field, 8), value);

    public void Text(MapField field, ReadOnlySpan<byte> utf8) => Bytes(Op.Text, field, utf8);

    public void Json(MapField field, ReadOnlySpan<byte> utf8) => Bytes(Op.Json, field, utf8);

    public void Point(MapField field, double latitude, double longitude)
    {
        if (!(Math.Abs(latitude) <= 90 && Math.Abs(longitude) <= 180))
        {
            throw new InvalidOperationException(string.Create(
                System.Globalization.CultureInfo.InvariantCulture, $"the point {latitude}, {longitude} of the field '{field.Name}' is not on the earth"));
        }

        Span<byte> bytes = Head(Op.Point, field, 16);
        BinaryPrimitives.WriteDoubleLittleEndian(bytes, latitude);
        BinaryPrimitives.WriteDoubleLittleEndian(bytes[8..], longitude);
    }

    public void Shape(MapField field, string wkt)
    {
        if (!WktPoint.TryRead(wkt, out double latitude, out double longitude))
        {
            throw new NotSupportedException($"the field '{field.Name}' is given a shape that is not a point: {DocumentKeys.Printable(wkt)}");
        }

        Point(field, latitude, longitude);
    }

    public void Object(ReadOnlySpan<byte> utf8Json) => Bytes(Op.Object, null, utf8Json);

    public void EndEntry()
    {
        Head(Op.End, null, 0);
        Entries++;
    }

    /// <summary>Puts the entries into a batch, under the key of their document or group.</summary>
    public void WriteTo(IndexBatch batch, ReadOnlySpan<byte> key)
    {
        EntryBuilder? entry = null;
        Utf8JsonWriter? stored = null;
        string? open = null;
        for (int at = 0; at < _length;)
        {
            var op = (Op)_bytes[at];
            int number = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(at + 1));
            int size = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(at + 5));
            ReadOnlySpan<byte> value = _bytes.AsSpan(at + 9, size);
            at += 9 + size;
            switch (op)
            {
                case Op.Begin:
                    entry = batch.Begin(key);
                    break;
                case Op.Object:
                    entry!.SetStored(value);
                    break;
                case Op.End:
                    EndStored(entry!, ref stored, ref open);
                    entry!.End();
                    break;
                default:
                    IndexFields.Target target = _targets[number];
                    Index(entry!, target, op, value);
                    if (target.Stored) Store(target.Name, op, value, ref stored, ref open);
                    break;
            }
        }
    }

    private void Index(EntryBuilder entry, IndexFields.Target target, Op op, ReadOnlySpan<byte> value)
    {
        switch (op)
        {
            case Op.Null:
                entry.AddNull(target.Field);
                break;
            case Op.True or Op.False:
                entry.AddBool(target.Field, op == Op.True);
                break;
            case Op.Integer:
                entry.AddLong(target.Field, BinaryPrimitives.ReadInt64LittleEndian(value));
                break;
            case Op.Real:
                entry.AddDouble(target.Field, BinaryPrimitives.ReadDoubleLittleEndian(value));
                break;
            case Op.Point:
                entry.AddPoint(target.Field, BinaryPrimitives.ReadDoubleLittleEndian(value), BinaryPrimitives.ReadDoubleLittleEndian(value[8..]));
                break;
            default:
                if (target.Analyzer is { } analyzer)
                {
                    entry.BeginText(target.Field);
                    foreach (Token token in analyzer.Tokens(value, _tokens)) entry.AddToken(target.Field, token.Term, token.PositionIncrement);
                }
                else
                {
                    entry.AddText(target.Field, value);
                }

                break;
        }
    }

    /// <summary>Stored fields are kept as one JSON object; several values of a field as an array.</summary>
    private void Store(string name, Op op, ReadOnlySpan<byte> value, ref Utf8JsonWriter? json, ref string? open)
    {
        if (json is null)
        {
            _stored.ResetWrittenCount();
            json = new Utf8JsonWriter(_stored);
            json.WriteStartObject();
        }

        if (open != name)
        {
            if (open is not null) json.WriteEndArray();
            json.WriteStartArray(name);
            open = name;
        }

        switch (op)
        {
            case Op.Null:
                json.WriteNullValue();
                break;
            case Op.True or Op.False:
                json.WriteBooleanValue(op == Op.True);
                break;
            case Op.Integer:
                json.WriteNumberValue(BinaryPrimitives.ReadInt64LittleEndian(value));
                break;
            case Op.Real:
                double real = BinaryPrimitives.ReadDoubleLittleEndian(value);
                if (double.IsFinite(real)) json.WriteNumberValue(real);
                else json.WriteStringValue(real.ToString(System.Globalization.CultureInfo.InvariantCulture));
                break;
            case Op.Point:
                json.WriteStartArray();
                json.WriteNumberValue(BinaryPrimitives.ReadDoubleLittleEndian(value));
                json.WriteNumberValue(BinaryPrimitives.ReadDoubleLittleEndian(value[8..]));
                json.WriteEndArray();
                break;
            case Op.Json:
                json.WriteRawValue(value);
                break;
            default:
                json.WriteStringValue(value);
                break;
        }
    }

    private void EndStored(EntryBuilder entry, ref Utf8JsonWriter? json, ref string? open)
    {
        if (json is null) return;
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        json.Dispose();
        entry.SetStored(_stored.WrittenSpan);
        json = null;
        open = null;
    }

    private void Bytes(Op op, MapField? field, ReadOnlySpan<byte> value) => value.CopyTo(Head(op, field, value.Length));

    private Span<byte> Head(Op op, MapField? field, int size)
    {
        int number = -1;
        if (field is not null && !_numbers.TryGetValue(field, out number))
        {
            number = _targets.Count;
            _targets.Add(fields.Resolve(field));
            _numbers[field] = number;
        }

        if (_bytes.Length - _length < size + 9) Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, checked(_length + size + 9)));
        _bytes[_length] = (byte)op;
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_length + 1), number);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_length + 5), size);
        _length += 9 + size;
        return _bytes.AsSpan(_length - size, size);
    }
}
