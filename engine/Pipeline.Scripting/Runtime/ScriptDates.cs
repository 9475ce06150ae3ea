using System.Globalization;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Dates of a script: .NET's, or texts in ISO 8601's extended form. A date without an offset counts as UTC in
/// comparisons.
/// </summary>
internal static class ScriptDates
{
    /// <summary>
    /// A date with its written form: offset 0 and <paramref name="Zoned"/> false if it had no offset.
    /// </summary>
    public readonly record struct Instant(DateTimeOffset Value, bool Zoned)
    {
        public long Ticks => Value.UtcTicks;

        public DateTime Local =>
            Zoned ? Value.DateTime : DateTime.SpecifyKind(Value.DateTime, DateTimeKind.Unspecified);

        /// <summary>The same form with another time.</summary>
        public ScriptValue With(DateTimeOffset value) =>
            Zoned
                ? new WrappedValue(value)
                : new WrappedValue(DateTime.SpecifyKind(value.DateTime, DateTimeKind.Unspecified));
    }

    public static bool TryRead(ScriptValue value, out Instant instant)
    {
        if (value.Kind == ScriptValueKind.Text)
            return TryParse(value.Text, out instant);
        switch (value is WrappedValue ? value.Plain : null)
        {
            case DateTime { Kind: DateTimeKind.Utc } t:
                instant = new Instant(new DateTimeOffset(t), true);
                return true;
            case DateTime t:
                instant = new Instant(
                    new DateTimeOffset(DateTime.SpecifyKind(t, DateTimeKind.Unspecified), TimeSpan.Zero),
                    false
                );
                return true;
            case DateTimeOffset t:
                instant = new Instant(t, true);
                return true;
            case DateOnly d:
                instant = new Instant(new DateTimeOffset(d.ToDateTime(TimeOnly.MinValue), TimeSpan.Zero), false);
                return true;
            default:
                instant = default;
                return false;
        }
    }

    public static Instant Read(ScriptValue? value) =>
        value is not null && TryRead(value, out var instant)
            ? instant
            : throw new InvalidCastException($"{ScriptValue.Describe(value)} is not a date.");

    public static bool TryReadSpan(ScriptValue value, out TimeSpan span)
    {
        if (value.Kind == ScriptValueKind.Span)
        {
            span = (TimeSpan)value.Plain;
            return true;
        }

        span = default;
        return value.Kind == ScriptValueKind.Text
            && TimeSpan.TryParse(value.Text, CultureInfo.InvariantCulture, out span);
    }

    private static bool TryParse(string text, out Instant instant)
    {
        instant = default;
        if (
            text.Length is < 10 or > 35
            || text[4] != '-'
            || text[7] != '-'
            || !char.IsAsciiDigit(text[0])
            || !char.IsAsciiDigit(text[9])
            || (text.Length > 10 && text[10] is not ('T' or ' '))
        )
        {
            return false;
        }

        var time = text.AsSpan(10);
        var zoned = time.EndsWith("Z", StringComparison.OrdinalIgnoreCase) || time.ContainsAny('+', '-');
        if (!DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var value))
            return false;
        instant = new Instant(value, zoned);
        return true;
    }
}
