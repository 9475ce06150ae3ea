using System.Collections;
using System.ComponentModel;
using System.Globalization;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// A value in a script: part of a document, or computed from one. Missing and JSON null are <see langword="null"/>.
/// </summary>
/// <remarks>
/// Immutable. Numbers are 64-bit integers, decimals where the value is exact in one, else doubles. A text in ISO 8601
/// form is a date where a date is needed. Valid until the run ends, since it may point into the snapshot.
/// </remarks>
public abstract partial class ScriptValue
    : IComparable<ScriptValue>,
        IComparable,
        IEquatable<ScriptValue>,
        IFormattable,
        IEnumerable<ScriptValue>
{
    private protected ScriptValue() { }

    internal abstract ScriptValueKind Kind { get; }

    internal bool IsNumber => Kind is ScriptValueKind.Integer or ScriptValueKind.Decimal or ScriptValueKind.Double;

    /// <summary>The number; only of a kind that <see cref="IsNumber"/>.</summary>
    internal virtual ScriptNumber Number => throw new InvalidCastException($"{Describe(this)} is not a number.");

    internal virtual bool Boolean => throw new InvalidCastException($"{Describe(this)} is not true or false.");

    /// <summary>The text of a text; the text form of anything else.</summary>
    internal abstract string Text { get; }

    /// <summary>
    /// The plain .NET value: string, int or long, decimal, double, bool, date, list, dictionary, or the wrapped object.
    /// </summary>
    internal abstract object Plain { get; }

    internal virtual ScriptValue? Property(ReadOnlySpan<byte> utf8Name) => null;

    internal virtual ScriptValue? Element(int index) => null;

    internal virtual int ElementCount => 0;

    internal virtual IEnumerable<ScriptValue?> Elements() => [];

    internal virtual IEnumerable<KeyValuePair<string, ScriptValue?>> Properties() => [];

    internal abstract void WriteJson(JsonBodyWriter writer);

    /// <inheritdoc />
    public override string ToString() => Text;

    /// <inheritdoc />
    public string ToString(string? format, IFormatProvider? formatProvider) =>
        ScriptValueText.Format(this, format, formatProvider ?? CultureInfo.InvariantCulture);

    /// <inheritdoc />
    public IEnumerator<ScriptValue> GetEnumerator() => Elements().GetEnumerator()!;

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc />
    public bool Equals(ScriptValue? other) => ScriptComparer.AreEqual(this, other);

    /// <inheritdoc />
    public override bool Equals(object? obj) => obj is not null && ScriptComparer.AreEqual(this, From(obj));

    /// <inheritdoc />
    public override int GetHashCode() => ScriptComparer.Hash(this);

    /// <inheritdoc />
    public int CompareTo(ScriptValue? other) => ScriptComparer.Order(this, other);

    /// <inheritdoc />
    public int CompareTo(object? obj) => ScriptComparer.Order(this, From(obj));

    /// <summary>Wraps any .NET value; <see langword="null"/> stays <see langword="null"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static ScriptValue? From(object? value) =>
        value switch
        {
            null => null,
            ScriptValue v => v,
            string s => new TextValue(s),
            bool b => b ? BooleanValue.True : BooleanValue.False,
            int i => IntegerValue.Create(i),
            long l => IntegerValue.Create(l),
            decimal d => new DecimalValue(d),
            double d => new DoubleValue(d),
            float f => new DoubleValue(
                double.Parse(f.ToString("R", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture)
            ),
            short s => IntegerValue.Create(s),
            byte b => IntegerValue.Create(b),
            sbyte b => IntegerValue.Create(b),
            ushort s => IntegerValue.Create(s),
            uint i => IntegerValue.Create(i),
            ulong u => u <= long.MaxValue ? IntegerValue.Create((long)u) : new DecimalValue(u),
            char c => new TextValue(c.ToString()),
            IDictionary or IEnumerable<KeyValuePair<string, object>> => new WrappedValue(value),
            IEnumerable e => new ListValue(e),
            _ => new WrappedValue(value),
        };

    internal static string Describe(ScriptValue? value)
    {
        if (value is null)
            return "null";
        var text = value.Text;
        if (text.Length > 60)
            text = text[..60] + "…";
        return value.Kind is ScriptValueKind.Text ? $"\"{text}\"" : text;
    }
}
