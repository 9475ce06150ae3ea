using System.Globalization;

namespace Pipeline.Scripting.Runtime;

internal sealed class TextValue(string text) : ScriptValue
{
    internal override ScriptValueKind Kind => ScriptValueKind.Text;

    internal override string Text => text;

    internal override object Plain => text;

    internal override void WriteJson(JsonBodyWriter writer) => writer.String(text);
}

internal sealed class BooleanValue : ScriptValue
{
    public static readonly BooleanValue True = new(true);
    public static readonly BooleanValue False = new(false);
    private readonly bool _value;

    private BooleanValue(bool value) => _value = value;

    internal override ScriptValueKind Kind => ScriptValueKind.Boolean;

    internal override bool Boolean => _value;

    internal override string Text => _value ? "true" : "false";

    internal override object Plain => _value;

    internal override void WriteJson(JsonBodyWriter writer) => writer.Boolean(_value);
}

internal sealed class IntegerValue : ScriptValue
{
    private static readonly IntegerValue[] Small = [.. Enumerable.Range(-128, 1152).Select(i => new IntegerValue(i))];
    private readonly long _value;

    private IntegerValue(long value) => _value = value;

    public static IntegerValue Create(long value) =>
        (ulong)(value + 128) < 1152 ? Small[value + 128] : new IntegerValue(value);

    internal override ScriptValueKind Kind => ScriptValueKind.Integer;

    internal override ScriptNumber Number => new(_value);

    internal override string Text => _value.ToString(CultureInfo.InvariantCulture);

    internal override object Plain => _value is >= int.MinValue and <= int.MaxValue ? (int)_value : _value;

    internal override void WriteJson(JsonBodyWriter writer) => writer.Integer(_value);
}

internal sealed class DecimalValue(decimal value) : ScriptValue
{
    internal override ScriptValueKind Kind => ScriptValueKind.Decimal;

    internal override ScriptNumber Number => new(value);

    internal override string Text => Number.ToString();

    internal override object Plain => value;

    internal override void WriteJson(JsonBodyWriter writer) => writer.TrimmedDecimal(value);
}

internal sealed class DoubleValue(double value) : ScriptValue
{
    internal override ScriptValueKind Kind => ScriptValueKind.Double;

    internal override ScriptNumber Number => new(value);

    internal override string Text => Number.ToString();

    internal override object Plain => value;

    internal override void WriteJson(JsonBodyWriter writer) => writer.Double(value);
}
