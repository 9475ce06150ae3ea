using Pipeline.Json;

namespace Pipeline.Scripting.Runtime;

/// <summary>A place in a stored document; nothing is copied until it is asked for.</summary>
internal class DocumentValue : ScriptValue
{
    private readonly BinaryValue _value;
    private string? _text;

    private protected DocumentValue(BinaryValue value) => _value = value;

    public static ScriptValue? Create(BinaryValue value) =>
        value.Kind is JsonKind.None or JsonKind.Null ? null : new DocumentValue(value);

    /// <summary>A property's value, as an element of its object.</summary>
    private static NamedDocumentValue? Create(BinaryProperty property) =>
        property.Value.Kind is JsonKind.None or JsonKind.Null ? null : new NamedDocumentValue(property);

    /// <summary>The bytes of a text, within the document.</summary>
    internal bool TryGetUtf8(out ReadOnlySpan<byte> utf8) => _value.TryGetUtf8(out utf8);

    internal override ScriptValueKind Kind =>
        _value.Kind switch
        {
            JsonKind.Object => ScriptValueKind.Object,
            JsonKind.Array => ScriptValueKind.Array,
            JsonKind.String => ScriptValueKind.Text,
            JsonKind.Boolean => ScriptValueKind.Boolean,
            _ => Number.Kind,
        };

    internal override ScriptNumber Number
    {
        get
        {
            if (!_value.TryReadNumber(out var mantissa, out var scale, out var text))
                return base.Number;
            if (text.IsEmpty)
                return scale == 0 ? new ScriptNumber(mantissa) : new ScriptNumber(Scaled(mantissa, scale));
            return ScriptNumber.TryParse(text, out var number) ? number : base.Number;
        }
    }

    internal override bool Boolean => _value.Kind == JsonKind.Boolean ? _value.GetBoolean() : base.Boolean;

    internal override string Text =>
        _text ??= _value.Kind switch
        {
            JsonKind.String => _value.GetString()!,
            JsonKind.Number => _value.GetNumberText(),
            _ => _value.ToString(),
        };

    internal override object Plain =>
        _value.Kind switch
        {
            JsonKind.String => Text,
            JsonKind.Boolean => _value.GetBoolean(),
            JsonKind.Number => Number.ToValue().Plain,
            JsonKind.Array => Elements().Select(e => e?.Plain).ToList(),
            _ => Properties().ToDictionary(p => p.Key, p => p.Value?.Plain),
        };

    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name) =>
        _value.TryGetProperty(utf8Name, out var found) ? Create(found) : null;

    internal override int ElementCount => _value.Kind == JsonKind.Array ? _value.Count : 0;

    internal override ScriptValue? Element(int index) =>
        (uint)index < (uint)ElementCount ? Create(_value[index]) : null;

    internal override IEnumerable<ScriptValue?> Elements()
    {
        // An object's elements are its values, as in JavaScript's Object.values; each knows its Key.
        if (_value.Kind == JsonKind.Object)
        {
            foreach (var property in _value.EnumerateObject())
            {
                ScriptGuard.Step();
                yield return Create(property);
            }

            yield break;
        }

        foreach (var element in _value.EnumerateArray())
        {
            ScriptGuard.Step();
            yield return Create(element);
        }
    }

    internal override IEnumerable<KeyValuePair<string, ScriptValue?>> Properties()
    {
        foreach (var property in _value.EnumerateObject())
        {
            ScriptGuard.Step();
            yield return new(property.Name, Create(property.Value));
        }
    }

    internal override void WriteJson(JsonBodyWriter writer) => writer.Document(_value);

    private static decimal Scaled(long mantissa, int scale)
    {
        var magnitude = (ulong)System.Math.Abs(mantissa == long.MinValue ? 0 : mantissa);
        if (mantissa == long.MinValue)
            magnitude = 1UL << 63;
        return new decimal((int)magnitude, (int)(magnitude >> 32), 0, mantissa < 0, (byte)scale);
    }
}
