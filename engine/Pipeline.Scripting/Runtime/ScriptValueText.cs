namespace Pipeline.Scripting.Runtime;

/// <summary>Values as text with a format, as C#'s interpolation and ToString(format) give it.</summary>
internal static class ScriptValueText
{
    public static string Format(ScriptValue value, string? format, IFormatProvider provider)
    {
        if (string.IsNullOrEmpty(format))
            return value.Text;
        ScriptSizes.CheckPrecision(format);
        if (value.IsNumber)
        {
            var number = value.Number;
            // D and X are for integers; a whole number written with a point may still use them.
            return format[0] is 'D' or 'd' or 'X' or 'x' && number.TryGetDecimal(out var d) && d == decimal.Truncate(d)
                ? number.AsInteger().ToString(format, provider)
                : number.ToString(format, provider);
        }

        if (value.Kind == ScriptValueKind.Text)
        {
            if (!ScriptDates.TryRead(value, out var date))
                return value.Text;
            return date.Zoned ? date.Value.ToString(format, provider) : date.Local.ToString(format, provider);
        }

        return value.Plain is IFormattable formattable ? formattable.ToString(format, provider) : value.Text;
    }
}
