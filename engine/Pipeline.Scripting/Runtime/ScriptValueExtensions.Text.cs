using System.Globalization;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is the method of the same name of string, DateTime or Enumerable, null for null.

/// <content>Text and date functions, by the names of string's and DateTime's methods.</content>
public static partial class ScriptValueExtensions
{
    private static TextValue? Map(ScriptValue? value, Func<string, string> function) =>
        value is null ? null : new TextValue(function(value.Text));

    public static ScriptValue? ToUpper(this ScriptValue? value) => Map(value, static s => s.ToUpperInvariant());

    public static ScriptValue? ToLower(this ScriptValue? value) => Map(value, static s => s.ToLowerInvariant());

    public static ScriptValue? ToUpperInvariant(this ScriptValue? value) => ToUpper(value);

    public static ScriptValue? ToLowerInvariant(this ScriptValue? value) => ToLower(value);

    public static ScriptValue? Trim(this ScriptValue? value) => Map(value, static s => s.Trim());

    public static ScriptValue? Trim(this ScriptValue? value, params char[] characters) =>
        Map(value, s => s.Trim(characters));

    public static ScriptValue? TrimStart(this ScriptValue? value, params char[] characters) =>
        Map(value, s => s.TrimStart(characters));

    public static ScriptValue? TrimEnd(this ScriptValue? value, params char[] characters) =>
        Map(value, s => s.TrimEnd(characters));

    public static ScriptValue? Substring(this ScriptValue? value, int start) => Map(value, s => s[start..]);

    public static ScriptValue? Substring(this ScriptValue? value, int start, int length) =>
        Map(value, s => s.Substring(start, length));

    public static ScriptValue? Replace(this ScriptValue? value, string old, string? replacement) =>
        Map(value, s => s.ReplaceInBounds(old, replacement, StringComparison.Ordinal));

    public static ScriptValue? Replace(this ScriptValue? value, char old, char replacement) =>
        Map(value, s => s.Replace(old, replacement));

    public static ScriptValue? Replace(
        this ScriptValue? value,
        string old,
        string? replacement,
        StringComparison comparison
    ) => Map(value, s => s.ReplaceInBounds(old, replacement, comparison));

    public static ScriptValue? Remove(this ScriptValue? value, int start) => Map(value, s => s.Remove(start));

    public static ScriptValue? Remove(this ScriptValue? value, int start, int count) =>
        Map(value, s => s.Remove(start, count));

    public static ScriptValue? Insert(this ScriptValue? value, int start, string text) =>
        Map(value, s => s.Insert(start, ScriptSizes.Text(text)!));

    public static ScriptValue? PadLeft(this ScriptValue? value, int width, char padding = ' ') =>
        Map(value, s => s.PadLeft(ScriptSizes.Room(width, 2), padding));

    public static ScriptValue? PadRight(this ScriptValue? value, int width, char padding = ' ') =>
        Map(value, s => s.PadRight(ScriptSizes.Room(width, 2), padding));

    public static string[] Split(this ScriptValue? value, params char[] separators) =>
        value?.Text.Split(separators) ?? [];

    public static string[] Split(this ScriptValue? value, char separator, StringSplitOptions options) =>
        value?.Text.Split(separator, options) ?? [];

    public static string[] Split(this ScriptValue? value, char separator, int count) =>
        value?.Text.Split(separator, count) ?? [];

    public static string[] Split(
        this ScriptValue? value,
        string separator,
        StringSplitOptions options = StringSplitOptions.None
    ) => value?.Text.Split(separator, options) ?? [];

    public static string[] Split(this ScriptValue? value, char[] separators, StringSplitOptions options) =>
        value?.Text.Split(separators, options) ?? [];

    public static bool StartsWith(this ScriptValue? value, string prefix) =>
        value is not null && value.Text.StartsWith(prefix, StringComparison.Ordinal);

    public static bool StartsWith(this ScriptValue? value, string prefix, StringComparison comparison) =>
        value is not null && value.Text.StartsWith(prefix, comparison);

    public static bool StartsWith(this ScriptValue? value, char prefix) =>
        value is not null && value.Text.StartsWith(prefix);

    public static bool EndsWith(this ScriptValue? value, string suffix) =>
        value is not null && value.Text.EndsWith(suffix, StringComparison.Ordinal);

    public static bool EndsWith(this ScriptValue? value, string suffix, StringComparison comparison) =>
        value is not null && value.Text.EndsWith(suffix, comparison);

    public static bool EndsWith(this ScriptValue? value, char suffix) =>
        value is not null && value.Text.EndsWith(suffix);

    /// <summary>Whether the text has the part, or the array the element.</summary>
    public static bool Contains(this ScriptValue? value, ScriptValue? part) =>
        value?.Kind switch
        {
            null => false,
            ScriptValueKind.Array or ScriptValueKind.Object => value
                .Elements()
                .Any(e => ScriptComparer.AreEqual(e, part)),
            _ => part is not null && value.Text.Contains(part.Text, StringComparison.Ordinal),
        };

    public static bool Contains(this ScriptValue? value, ScriptValue? part, StringComparison comparison) =>
        value?.Kind switch
        {
            null => false,
            ScriptValueKind.Array or ScriptValueKind.Object => value
                .Elements()
                .Any(e => string.Equals(e?.Text, part?.Text, comparison)),
            _ => part is not null && value.Text.Contains(part.Text, comparison),
        };

    public static int IndexOf(this ScriptValue? value, ScriptValue? part, int start = 0)
    {
        if (value is null || part is null)
            return -1;
        if (value.Kind != ScriptValueKind.Array)
            return value.Text.IndexOf(part.Text, start, StringComparison.Ordinal);
        var index = 0;
        foreach (var element in value.Elements())
        {
            if (index >= start && ScriptComparer.AreEqual(element, part))
                return index;
            index++;
        }

        return -1;
    }

    public static int LastIndexOf(this ScriptValue? value, ScriptValue? part) =>
        value is null || part is null ? -1 : value.Text.LastIndexOf(part.Text, StringComparison.Ordinal);

    private static ScriptValue? Date(ScriptValue? value, Func<DateTimeOffset, DateTimeOffset> function)
    {
        if (value is null)
            return null;
        var date = ScriptDates.Read(value);
        return date.With(function(date.Value));
    }

    public static ScriptValue? AddDays(this ScriptValue? value, double days) => Date(value, t => t.AddDays(days));

    public static ScriptValue? AddHours(this ScriptValue? value, double hours) => Date(value, t => t.AddHours(hours));

    public static ScriptValue? AddMinutes(this ScriptValue? value, double minutes) =>
        Date(value, t => t.AddMinutes(minutes));

    public static ScriptValue? AddSeconds(this ScriptValue? value, double seconds) =>
        Date(value, t => t.AddSeconds(seconds));

    public static ScriptValue? AddMilliseconds(this ScriptValue? value, double milliseconds) =>
        Date(value, t => t.AddMilliseconds(milliseconds));

    public static ScriptValue? AddMonths(this ScriptValue? value, int months) => Date(value, t => t.AddMonths(months));

    public static ScriptValue? AddYears(this ScriptValue? value, int years) => Date(value, t => t.AddYears(years));

    public static ScriptValue? Add(this ScriptValue? value, TimeSpan span) => Date(value, t => t.Add(span));

    public static ScriptValue? Subtract(this ScriptValue? value, ScriptValue? other) => value - other;

    public static ScriptValue? ToUniversalTime(this ScriptValue? value) =>
        value is null
            ? null
            : new WrappedValue(DateTime.SpecifyKind(ScriptDates.Read(value).Value.UtcDateTime, DateTimeKind.Utc));

    public static string ToShortDateString(this ScriptValue? value) =>
        value is null ? "" : ScriptDates.Read(value).Local.ToString("d", CultureInfo.InvariantCulture);
}
