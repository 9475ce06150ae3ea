using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // The conversions are what their types say; null and text are said at the type below.

/// <content>
/// Conversions from and to .NET's types. A number with a fraction is refused by the integer types, unless the script
/// has a cast; a text that holds a number or a date converts to one; null converts to null where the target has one, to
/// false as a condition, and is an error for other value types.
/// </content>
[SuppressMessage(
    "Usage",
    "CA2225:Operator overloads have named alternates",
    Justification = "Scripts use the conversions."
)]
public abstract partial class ScriptValue
{
    public static implicit operator ScriptValue(int value) => IntegerValue.Create(value);

    public static implicit operator ScriptValue?(int? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(long value) => IntegerValue.Create(value);

    public static implicit operator ScriptValue?(long? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(decimal value) => new DecimalValue(value);

    public static implicit operator ScriptValue?(decimal? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(double value) => new DoubleValue(value);

    public static implicit operator ScriptValue?(double? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(bool value) => value ? BooleanValue.True : BooleanValue.False;

    public static implicit operator ScriptValue?(bool? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(short value) => From(value)!;

    public static implicit operator ScriptValue?(short? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(byte value) => From(value)!;

    public static implicit operator ScriptValue?(byte? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(uint value) => From(value)!;

    public static implicit operator ScriptValue?(uint? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(ulong value) => From(value)!;

    public static implicit operator ScriptValue?(ulong? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(ushort value) => From(value)!;

    public static implicit operator ScriptValue?(ushort? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(sbyte value) => From(value)!;

    public static implicit operator ScriptValue?(sbyte? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(float value) => From(value)!;

    public static implicit operator ScriptValue?(float? value) => value is { } present ? (ScriptValue)present : null;

    public static implicit operator ScriptValue(char value) => new TextValue(value.ToString());

    public static implicit operator ScriptValue?(char? value) => value is { } present ? (ScriptValue)present : null;

    [return: NotNullIfNotNull(nameof(value))]
    public static implicit operator ScriptValue?(string? value) => value is null ? null : new TextValue(value);

    public static implicit operator ScriptValue(DateTime value) => new WrappedValue(value);

    public static implicit operator ScriptValue?(DateTime? value) =>
        value is { } present ? new WrappedValue(present) : null;

    public static implicit operator ScriptValue(DateTimeOffset value) => new WrappedValue(value);

    public static implicit operator ScriptValue?(DateTimeOffset? value) =>
        value is { } present ? new WrappedValue(present) : null;

    public static implicit operator ScriptValue(DateOnly value) => new WrappedValue(value);

    public static implicit operator ScriptValue?(DateOnly? value) =>
        value is { } present ? new WrappedValue(present) : null;

    public static implicit operator ScriptValue(TimeSpan value) => new WrappedValue(value);

    public static implicit operator ScriptValue?(TimeSpan? value) =>
        value is { } present ? new WrappedValue(present) : null;

    public static implicit operator ScriptValue(Guid value) => new WrappedValue(value);

    public static implicit operator ScriptValue?(Guid? value) =>
        value is { } present ? new WrappedValue(present) : null;

    public static implicit operator string?(ScriptValue? value) => value?.Text;

    public static implicit operator bool(ScriptValue? value) => value is not null && value.Boolean;

    public static implicit operator bool?(ScriptValue? value) => value?.Boolean;

    public static implicit operator char(ScriptValue? value) =>
        value is { Text: [var c] }
            ? c
            : throw new InvalidCastException($"{Describe(value)} is not a single character.");

    public static implicit operator int(ScriptValue? value) => checked((int)ToNumber(value, "int").AsInteger());

    public static implicit operator int?(ScriptValue? value) => value is null ? null : (int)value;

    public static implicit operator long(ScriptValue? value) => ToNumber(value, "long").AsInteger();

    public static implicit operator long?(ScriptValue? value) => value is null ? null : (long)value;

    public static implicit operator decimal(ScriptValue? value) => ToNumber(value, "decimal").AsDecimal();

    public static implicit operator decimal?(ScriptValue? value) => value is null ? null : (decimal)value;

    public static implicit operator double(ScriptValue? value) => ToNumber(value, "double").AsDouble();

    public static implicit operator double?(ScriptValue? value) => value is null ? null : (double)value;

    public static implicit operator float(ScriptValue? value) => (float)ToNumber(value, "float").AsDouble();

    public static implicit operator float?(ScriptValue? value) => value is null ? null : (float)value;

    public static implicit operator short(ScriptValue? value) => checked((short)ToNumber(value, "short").AsInteger());

    public static implicit operator short?(ScriptValue? value) => value is null ? null : (short)value;

    public static implicit operator byte(ScriptValue? value) => checked((byte)ToNumber(value, "byte").AsInteger());

    public static implicit operator byte?(ScriptValue? value) => value is null ? null : (byte)value;

    public static implicit operator uint(ScriptValue? value) => checked((uint)ToNumber(value, "uint").AsInteger());

    public static implicit operator uint?(ScriptValue? value) => value is null ? null : (uint)value;

    public static implicit operator ushort(ScriptValue? value) =>
        checked((ushort)ToNumber(value, "ushort").AsInteger());

    public static implicit operator ushort?(ScriptValue? value) => value is null ? null : (ushort)value;

    public static implicit operator sbyte(ScriptValue? value) => checked((sbyte)ToNumber(value, "sbyte").AsInteger());

    public static implicit operator sbyte?(ScriptValue? value) => value is null ? null : (sbyte)value;

    public static implicit operator ulong(ScriptValue? value) => checked((ulong)ToNumber(value, "ulong").AsDecimal());

    public static implicit operator ulong?(ScriptValue? value) => value is null ? null : (ulong)value;

    public static implicit operator DateTime(ScriptValue? value) =>
        ScriptDates.Read(value) is var date && date.Zoned && date.Value.Offset == TimeSpan.Zero
            ? date.Value.UtcDateTime
            : ScriptDates.Read(value).Local;

    public static implicit operator DateTime?(ScriptValue? value) => value is null ? null : (DateTime)value;

    public static implicit operator DateTimeOffset(ScriptValue? value) => ScriptDates.Read(value).Value;

    public static implicit operator DateTimeOffset?(ScriptValue? value) => value is null ? null : (DateTimeOffset)value;

    public static implicit operator DateOnly(ScriptValue? value) =>
        DateOnly.FromDateTime(ScriptDates.Read(value).Local);

    public static implicit operator DateOnly?(ScriptValue? value) => value is null ? null : (DateOnly)value;

    public static implicit operator TimeSpan(ScriptValue? value) =>
        value is not null && ScriptDates.TryReadSpan(value, out var span)
            ? span
            : throw new InvalidCastException($"{Describe(value)} is not a time span.");

    public static implicit operator TimeSpan?(ScriptValue? value) => value is null ? null : (TimeSpan)value;

    public static implicit operator Guid(ScriptValue? value) =>
        value is WrappedValue { Plain: Guid guid }
            ? guid
            : Guid.Parse(value?.Text ?? throw new InvalidCastException("null is not a Guid."));

    public static implicit operator Guid?(ScriptValue? value) => value is null ? null : (Guid)value;

    internal static ScriptNumber ToNumber(ScriptValue? value, string type)
    {
        if (value is null)
            throw new InvalidCastException($"null (or a missing property) cannot be converted to {type}.");
        if (value.Kind == ScriptValueKind.Text)
        {
            var text = value.Text.Trim();
            if (
                text.Length is > 0 and < 400
                && ScriptNumber.TryParse(System.Text.Encoding.UTF8.GetBytes(text), out var parsed)
            )
            {
                return parsed;
            }

            throw new InvalidCastException(
                string.Create(CultureInfo.InvariantCulture, $"{Describe(value)} cannot be converted to {type}.")
            );
        }

        if (value is WrappedValue { Plain: Enum e })
            return new ScriptNumber(Convert.ToInt64(e, CultureInfo.InvariantCulture));
        return value.Number;
    }
}
