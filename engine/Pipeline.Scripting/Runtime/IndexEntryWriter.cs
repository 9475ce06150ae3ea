using System.Globalization;
using System.Text;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Gives the values of entries to an output, field by field. One thread at a time; buffers are used again.
/// </summary>
internal sealed class IndexEntryWriter(IReadOnlyList<string> names)
{
    private const int MaxKnownDynamic = 4096;
    private readonly Dictionary<Type, MapField[]> _types = [];
    private readonly Dictionary<(string Name, CreateFieldOptions? Options), MapField> _dynamic = [];
    private readonly Dictionary<MapField, MapField> _boosts = [];
    private readonly JsonBodyWriter _json = new();
    private MapField[] _fields = [.. names.Select((n, i) => new MapField(n, i, null))];
    private byte[] _text = new byte[256];
    private int _entries;
    private int _depth;

    public IIndexOutput Output { get; set; } = null!;

    public ScriptLimits Limits { get; set; } = ScriptLimits.Default;

    public MapField Current { get; set; } = null!;

    /// <summary>The field of a value that is not part of an object.</summary>
    public MapField Only { get; } = new("", 0, null);

    public void Reset() => _entries = _depth = 0;

    public MapField[] Fields(Type type, IReadOnlyList<IEntryMember> members)
    {
        if (_types.TryGetValue(type, out var known))
            return known;
        var fields = new MapField[members.Count];
        for (var i = 0; i < fields.Length; i++)
            fields[i] = Field(members[i].Name);
        _types[type] = fields;
        return fields;
    }

    public void Begin()
    {
        if (++_entries > Limits.MaxMessages)
        {
            throw new ScriptLimitException(
                nameof(ScriptLimits.MaxMessages),
                Limits.MaxMessages.ToString(CultureInfo.InvariantCulture)
            );
        }

        Output.BeginEntry();
    }

    public void End() => Output.EndEntry();

    public void Object(JsonBodyWriter body)
    {
        body.CheckLimit();
        Output.Object(body.Written);
        body.Reset(Limits.MaxBodyBytes);
    }

    public void Null() => Output.Null(Current);

    public void Boolean(bool value) => Output.Boolean(Current, value);

    public void Integer(long value) => Output.Integer(Current, value);

    public void Real(double value) => Output.Real(Current, value);

    public void Decimal(decimal value)
    {
        if (value == decimal.Truncate(value) && value is >= long.MinValue and <= long.MaxValue)
            Output.Integer(Current, (long)value);
        else
            Output.Real(Current, (double)value);
    }

    public void Text(ReadOnlySpan<byte> utf8) => Output.Text(Current, utf8);

    public void Text(string? text)
    {
        if (text is null)
        {
            Null();
            return;
        }

        var size = Encoding.UTF8.GetMaxByteCount(text.Length);
        if (size > _text.Length)
            _text = new byte[Math.Max(size, _text.Length * 2)];
        Output.Text(Current, _text.AsSpan(0, Encoding.UTF8.GetBytes(text, _text)));
        if (_text.Length > 1 << 20)
            _text = new byte[256];
    }

    /// <summary>The factor for scores of the current field.</summary>
    public void Boost(double factor)
    {
        if (factor == 1)
            return;
        if (!_boosts.TryGetValue(Current, out var boost))
        {
            if (_boosts.Count >= MaxKnownDynamic)
                _boosts.Clear();
            _boosts[Current] = boost = new MapField(IndexFieldNames.Boost(Current.Name), -1, null);
        }

        Output.Real(boost, factor);
    }

    /// <summary>The factor for all scores of the entry.</summary>
    public void EntryBoost(double factor)
    {
        Current = Only;
        Boost(factor);
    }

    public void Spatial(in SpatialField value)
    {
        if (value.Wkt is { } wkt)
            Output.Shape(Current, wkt);
        else if (value is { Latitude: { } latitude, Longitude: { } longitude })
            Output.Point(Current, latitude, longitude);
        else
            Null();
    }

    /// <summary>An object, as its JSON.</summary>
    public void Json<T>(T value)
    {
        _json.Reset(Limits.MaxBodyBytes);
        JsonTypeWriter<T>.Instance.Write(_json, value);
        _json.CheckLimit();
        Output.Json(Current, _json.Written);
    }

    public void Number(ScriptNumber number)
    {
        switch (number.Kind)
        {
            case ScriptValueKind.Integer:
                Integer(number.AsInteger());
                break;
            case ScriptValueKind.Decimal:
                Decimal(number.AsDecimal());
                break;
            default:
                Real(number.AsDouble());
                break;
        }
    }

    /// <summary>Writes a field that the map has named.</summary>
    public void Dynamic(in CreatedField created)
    {
        if (string.IsNullOrEmpty(created.Name))
            return;
        var outer = Current;
        if (!_dynamic.TryGetValue((created.Name, created.Options), out var field))
        {
            // Names that documents make up are not kept for ever.
            if (_dynamic.Count >= MaxKnownDynamic)
                _dynamic.Clear();
            field = new MapField(created.Name, -1, created.Options);
            _dynamic[(created.Name, created.Options)] = field;
        }

        Current = field;
        Any(created.Value);
        Current = outer;
    }

    public void Any(object? value)
    {
        if (value is null)
            Null();
        else
            EntryTypeWriter.For(value.GetType()).WriteObject(this, value);
    }

    /// <summary>Before the elements of a sequence.</summary>
    public void Enter()
    {
        if (++_depth > 64)
        {
            throw new InvalidOperationException(
                "A field's value is nested deeper than 64 levels, or refers to itself."
            );
        }
    }

    public void Leave() => _depth--;

    private MapField Field(string name)
    {
        foreach (var field in _fields)
        {
            if (field.Name == name)
                return field;
        }

        var made = new MapField(name, _fields.Length, null);
        _fields = [.. _fields, made];
        return made;
    }
}
