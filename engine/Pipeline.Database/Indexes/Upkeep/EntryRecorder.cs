using System.Buffers;
using System.Buffers.Binary;
using System.Text.Json;
using Pipeline.Database.Queries.Binding;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Keeps what a map or reduce gives until the whole of it is known to be good, then puts it into a batch. Buffers are
/// used again; not thread-safe.
/// </summary>
internal sealed class EntryRecorder(IndexFields fields) : IIndexOutput
{
    private readonly List<IndexFields.Target> _targets = [];
    private readonly Dictionary<MapField, int> _numbers = [];
    private readonly Dictionary<string, List<int>> _storedFields = new(StringComparer.Ordinal);
    private readonly ArrayBufferWriter<byte> _stored = new();
    private readonly byte[] _date = new byte[DateTerm.Length];
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

    /// <summary>Discards the recorded entries.</summary>
    public void Reset()
    {
        Entries = _length = 0;
        if (_bytes.Length > 4 << 20)
            _bytes = new byte[1024];
        if (_targets.Count <= 4096)
            return;
        _targets.Clear();
        _numbers.Clear();
    }

    public void BeginEntry() => Head(Op.Begin, null, 0);

    public void Null(MapField field) => Head(Op.Null, field, 0);

    public void Boolean(MapField field, bool value) => Head(value ? Op.True : Op.False, field, 0);

    public void Integer(MapField field, long value) =>
        BinaryPrimitives.WriteInt64LittleEndian(Head(Op.Integer, field, 8), value);

    public void Real(MapField field, double value) =>
        BinaryPrimitives.WriteDoubleLittleEndian(Head(Op.Real, field, 8), value);

    public void Text(MapField field, ReadOnlySpan<byte> utf8) => Bytes(Op.Text, field, utf8);

    public void Json(MapField field, ReadOnlySpan<byte> utf8) => Bytes(Op.Json, field, utf8);

    public void Point(MapField field, double latitude, double longitude)
    {
        if (!(Math.Abs(latitude) <= 90 && Math.Abs(longitude) <= 180))
        {
            throw new InvalidOperationException(
                string.Create(
                    System.Globalization.CultureInfo.InvariantCulture,
                    $"the point {latitude}, {longitude} of the field '{field.Name}' is not on the earth"
                )
            );
        }

        var bytes = Head(Op.Point, field, 16);
        BinaryPrimitives.WriteDoubleLittleEndian(bytes, latitude);
        BinaryPrimitives.WriteDoubleLittleEndian(bytes[8..], longitude);
    }

    public void Shape(MapField field, string wkt)
    {
        if (!WktPoint.TryRead(wkt, out var latitude, out var longitude))
        {
            throw new NotSupportedException(
                $"the field '{field.Name}' is given a shape that is not a point: {DocumentKeys.Printable(wkt)}"
            );
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
    public void WriteTo(IndexBatch batch, ReadOnlySpan<byte> key, bool isDocument)
    {
        EntryBuilder? entry = null;
        var begun = 0;
        for (var at = 0; at < _length; )
        {
            Read(at, out var op, out var number, out var value, out var next);
            switch (op)
            {
                case Op.Begin:
                    entry = batch.Begin(key);
                    begun = next;
                    if (isDocument)
                        entry.AddTerm(fields.DocumentId, key);
                    break;
                case Op.Object:
                    entry!.SetStored(BinaryJson.Parse(value).Data.Span);
                    break;
                case Op.End:
                    if (isDocument)
                        Store(entry!, begun, at);
                    entry!.End();
                    break;
                default:
                    Index(entry!, _targets[number], op, value);
                    break;
            }

            at = next;
        }
    }

    private void Read(int at, out Op op, out int number, out ReadOnlySpan<byte> value, out int next)
    {
        op = (Op)_bytes[at];
        number = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(at + 1));
        var size = BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(at + 5));
        value = _bytes.AsSpan(at + 9, size);
        next = at + 9 + size;
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
                entry.AddPoint(
                    target.Field,
                    BinaryPrimitives.ReadDoubleLittleEndian(value),
                    BinaryPrimitives.ReadDoubleLittleEndian(value[8..])
                );
                break;
            default:
                if (target.Field.Options.Indexing == TermForm.Default && DateTerm.TryWrite(value, _date))
                {
                    entry.AddTerm(target.Field, _date);
                }
                else
                {
                    entry.AddText(target.Field, value);
                }

                break;
        }
    }

    /// <summary>Keeps the stored fields of an entry as one object; several values of a field as an array.</summary>
    private void Store(EntryBuilder entry, int begun, int ended)
    {
        _storedFields.Clear();
        for (var at = begun; at < ended; )
        {
            Read(at, out _, out var number, out _, out var next);
            if (_targets[number] is { Stored: true } target)
            {
                if (!_storedFields.TryGetValue(target.Name, out var places))
                    _storedFields[target.Name] = places = [];
                places.Add(at);
            }

            at = next;
        }

        if (_storedFields.Count == 0)
            return;
        _stored.ResetWrittenCount();
        using (var json = new Utf8JsonWriter(_stored))
        {
            json.WriteStartObject();
            foreach ((var name, var places) in _storedFields)
            {
                json.WritePropertyName(name);
                if (places.Count > 1)
                    json.WriteStartArray();
                foreach (var at in places)
                {
                    Read(at, out var op, out _, out var value, out _);
                    Store(json, op, value);
                }

                if (places.Count > 1)
                    json.WriteEndArray();
            }

            json.WriteEndObject();
        }

        entry.SetStored(BinaryJson.Parse(_stored.WrittenSpan).Data.Span);
    }

    private static void Store(Utf8JsonWriter json, Op op, ReadOnlySpan<byte> value)
    {
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
                var real = BinaryPrimitives.ReadDoubleLittleEndian(value);
                if (double.IsFinite(real))
                    json.WriteNumberValue(real);
                else
                    json.WriteStringValue(real.ToString(System.Globalization.CultureInfo.InvariantCulture));
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

    private void Bytes(Op op, MapField? field, ReadOnlySpan<byte> value) => value.CopyTo(Head(op, field, value.Length));

    private Span<byte> Head(Op op, MapField? field, int size)
    {
        var number = -1;
        if (field is not null && !_numbers.TryGetValue(field, out number))
        {
            number = _targets.Count;
            _targets.Add(fields.Resolve(field));
            _numbers[field] = number;
        }

        if (_bytes.Length - _length < size + 9)
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, checked(_length + size + 9)));
        _bytes[_length] = (byte)op;
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_length + 1), number);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(_length + 5), size);
        _length += 9 + size;
        return _bytes.AsSpan(_length - size, size);
    }
}
