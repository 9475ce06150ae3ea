using System.ComponentModel;
using System.Text;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is the method of the same name of string, DateTime or Enumerable, null for null.

/// <summary>
/// What scripts call on values. They are extensions so that null, a missing property, is a fine receiver.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static partial class ScriptValueExtensions
{
    /// <summary>
    /// A property: of the document's object, else of .NET's type that the value stands for (<c>Length</c>, <c>Year</c>,
    /// <c>TotalDays</c>, …).
    /// </summary>
    public static ScriptValue? Get(this ScriptValue? value, ReadOnlySpan<byte> utf8Name)
    {
        if (value is null)
            return null;
        return value.Property(utf8Name)
            ?? (value.Kind == ScriptValueKind.Object && value is DocumentValue ? null : BuiltIn(value, utf8Name));
    }

    public static ScriptValue? Get(this ScriptValue? value, string? name) =>
        name is null ? null : value.Get(Encoding.UTF8.GetBytes(name));

    public static ScriptValue? Get(this ScriptValue? value, int index) =>
        value?.Kind switch
        {
            ScriptValueKind.Text => index >= 0 && index < value.Text.Length
                ? new TextValue(value.Text[index].ToString())
                : null,
            _ => value?.Element(index),
        };

    public static ScriptValue? Get(this ScriptValue? value, Index index) => value.Get(index.GetOffset(value.CountOf()));

    public static ScriptValue? Get(this ScriptValue? value, Range range)
    {
        if (value is null)
            return null;
        var count = value.CountOf();
        var start = Math.Clamp(range.Start.GetOffset(count), 0, count);
        var end = Math.Clamp(range.End.GetOffset(count), start, count);
        return value.Kind == ScriptValueKind.Text
            ? new TextValue(value.Text[start..end])
            : new ListValue(value.Elements().Skip(start).Take(end - start).ToList());
    }

    public static ScriptValue? Get(this ScriptValue? value, ScriptValue? key) =>
        key is null ? null
        : key.IsNumber ? value.Get((int)key)
        : value.Get(key.Text);

    /// <summary>The elements; none for null.</summary>
    public static IEnumerable<ScriptValue?> OrEmpty(this ScriptValue? value) => value?.Elements() ?? [];

    /// <summary>Names and values of an object's properties, in their order.</summary>
    public static IEnumerable<KeyValuePair<string, ScriptValue?>> Properties(this ScriptValue? value) =>
        value?.Properties() ?? [];

    /// <summary>Whether the object has the property, be it null.</summary>
    public static bool HasProperty(this ScriptValue? value, string name) =>
        value is not null && value.Properties().Any(p => p.Key == name);

    /// <summary>The text, null for null: what an API that takes a string is given.</summary>
    public static string? AsString(this ScriptValue? value) => value?.Text;

    /// <summary>Numbers without their fraction: what an explicit cast to an integer type does.</summary>
    public static ScriptValue? Cut(this ScriptValue? value) =>
        value is null ? null
        : value.Kind is ScriptValueKind.Integer or ScriptValueKind.Boolean or ScriptValueKind.Other ? value
        : ScriptMath.Truncate(value);

    public static DateTime AsDateTime(this ScriptValue? value) => value;

    public static TimeSpan AsTimeSpan(this ScriptValue? value) => value;

    public static decimal? AsNumber(this ScriptValue? value) =>
        value is { IsNumber: true } && value.Number.TryGetDecimal(out var d) ? d : null;

    public static double? AsReal(this ScriptValue? value) =>
        value is { IsNumber: true } ? value.Number.AsDouble() : null;

    public static bool? AsBoolean(this ScriptValue? value) =>
        value is { Kind: ScriptValueKind.Boolean } ? value.Boolean : null;

    /// <summary>The text of a text value, null for all other values: the operand of a switch over strings.</summary>
    public static string? AsLabel(this ScriptValue? value) =>
        value is { Kind: ScriptValueKind.Text or ScriptValueKind.Other } ? value.Text : null;

    /// <summary>The plain .NET value.</summary>
    public static object? Unwrap(this ScriptValue? value) => value?.Plain;

    public static string ToText(this ScriptValue? value) => value?.Text ?? "";

    public static string ToText(this ScriptValue? value, string? format) =>
        value is null ? "" : ScriptValueText.Format(value, format, System.Globalization.CultureInfo.InvariantCulture);

    public static string ToText(this ScriptValue? value, IFormatProvider? provider) =>
        value is null
            ? ""
            : ScriptValueText.Format(value, null, provider ?? System.Globalization.CultureInfo.InvariantCulture);

    public static string ToText(this ScriptValue? value, string? format, IFormatProvider? provider) =>
        value is null
            ? ""
            : ScriptValueText.Format(value, format, provider ?? System.Globalization.CultureInfo.InvariantCulture);

    public static bool EqualTo(this ScriptValue? value, ScriptValue? other) => ScriptComparer.AreEqual(value, other);

    public static bool EqualTo(this ScriptValue? value, ScriptValue? other, StringComparison comparison) =>
        string.Equals(value?.Text, other?.Text, comparison);

    public static int HashCode(this ScriptValue? value) => value?.GetHashCode() ?? 0;

    public static int OrderTo(this ScriptValue? value, ScriptValue? other) => ScriptComparer.Order(value, other);

    /// <summary>A copy of the object without these properties.</summary>
    public static ScriptValue? Without(this ScriptValue? value, params string[] names)
    {
        if (value is null)
            return null;
        var result = new Dictionary<string, ScriptValue?>();
        foreach (var (name, property) in value.Properties())
        {
            if (!names.Contains(name, StringComparer.Ordinal))
                result[name] = property;
        }

        return new WrappedValue(result);
    }

    /// <summary>A copy of the object with the properties of another one added or replaced.</summary>
    public static ScriptValue? With<T>(this ScriptValue? value, T changes)
    {
        var result = new Dictionary<string, ScriptValue?>();
        foreach (var (name, property) in Properties(value))
            result[name] = property;
        if (changes is ScriptValue other)
        {
            foreach (var (name, property) in other.Properties())
                result[name] = property;
        }
        else if (changes is not null)
        {
            var members = JsonMembers.Of(changes.GetType());
            foreach (var member in members.All)
                result[member.Name] = ScriptValue.From(members.Get(changes, member.Name));
        }

        return new WrappedValue(result);
    }

    private static int CountOf(this ScriptValue? value) =>
        value?.Kind switch
        {
            null => 0,
            ScriptValueKind.Text => value.Text.Length,
            _ => value.ElementCount,
        };

    private static ScriptValue? BuiltIn(ScriptValue value, ReadOnlySpan<byte> utf8Name)
    {
        if (utf8Name.SequenceEqual("Value"u8) && value.Kind is not (ScriptValueKind.Object or ScriptValueKind.Array))
            return value;
        if (utf8Name.SequenceEqual("HasValue"u8))
            return true;
        switch (value.Kind)
        {
            case ScriptValueKind.Array:
                return utf8Name.SequenceEqual("Count"u8) || utf8Name.SequenceEqual("Length"u8)
                    ? value.ElementCount
                    : null;
            case ScriptValueKind.Text when utf8Name.SequenceEqual("Length"u8):
                return value.Text.Length;
            case ScriptValueKind.Text or ScriptValueKind.Time:
                return ScriptDates.TryRead(value, out var date) ? DatePart(date, utf8Name) : null;
            default:
                return null;
        }
    }

    private static ScriptValue? DatePart(ScriptDates.Instant date, ReadOnlySpan<byte> utf8Name)
    {
        var t = date.Value;
        return Encoding.UTF8.GetString(utf8Name) switch
        {
            "Year" => t.Year,
            "Month" => t.Month,
            "Day" => t.Day,
            "Hour" => t.Hour,
            "Minute" => t.Minute,
            "Second" => t.Second,
            "Millisecond" => t.Millisecond,
            "Ticks" => t.Ticks,
            "DayOfYear" => t.DayOfYear,
            "DayOfWeek" => ScriptValue.From(t.DayOfWeek),
            "Date" => DateTime.SpecifyKind(t.Date, DateTimeKind.Unspecified),
            "TimeOfDay" => t.TimeOfDay,
            "UtcDateTime" => t.UtcDateTime,
            "Offset" => t.Offset,
            _ => null,
        };
    }
}
