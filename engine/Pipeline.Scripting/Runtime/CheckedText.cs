using System.ComponentModel;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is the method of the same name of string or StringBuilder.

/// <summary>
/// What joins, formats and replaces texts in a script: the class library's methods, with the result's size counted
/// before it is made.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CheckedText
{
    private const int MaxWidth = 10_000;
    private const long Unmeasured = 64 * 1024;
    private const int StepEvery = 16;

    public static string Join(string? separator, params string?[] values) =>
        string.Join(separator, Parts(separator?.Length ?? 0, values));

    public static string Join(string? separator, IEnumerable<string?> values) =>
        string.Join(separator, Parts(separator?.Length ?? 0, values));

    public static string Join(string? separator, params object?[] values) =>
        string.Join(separator, Parts(separator?.Length ?? 0, values));

    public static string Join<T>(string? separator, IEnumerable<T> values) =>
        string.Join(separator, Parts(separator?.Length ?? 0, values));

    public static string Join(string? separator, string?[] values, int start, int count) =>
        Join(separator, (IEnumerable<string?>)new ArraySegment<string?>(values, start, count));

    public static string Join(char separator, params string?[] values) => string.Join(separator, Parts(1, values));

    public static string Join(char separator, IEnumerable<string?> values) => string.Join(separator, Parts(1, values));

    public static string Join(char separator, params object?[] values) => string.Join(separator, Parts(1, values));

    public static string Join<T>(char separator, IEnumerable<T> values) => string.Join(separator, Parts(1, values));

    public static string Concat(params string?[] values) => string.Concat(Parts(0, values));

    public static string Concat(IEnumerable<string?> values) => string.Concat(Parts(0, values));

    public static string Concat(params object?[] values) => string.Concat(Parts(0, values));

    public static string Concat<T>(IEnumerable<T> values) => string.Concat(Parts(0, values));

    public static string Format(string format, params object?[] values) => Format(null, format, values);

    public static string Format(IFormatProvider? provider, string format, params object?[] values)
    {
        ArgumentNullException.ThrowIfNull(format);
        ArgumentNullException.ThrowIfNull(values);
        ScriptGuard.Step();
        Measure(format, values);
        return string.Format(provider, format, values);
    }

    /// <summary>An interpolated text.</summary>
    public static string Interpolate(ref CheckedTextHandler text) => text.Finish();

    /// <summary>An interpolated text in the invariant culture.</summary>
    public static string Invariant(ref InvariantTextHandler text) => text.Finish();

    public static string ReplaceInBounds(this string text, string old, string? replacement)
    {
        Grow(text, old, replacement, StringComparison.Ordinal);
        return text.Replace(old, replacement);
    }

    public static string ReplaceInBounds(this string text, string old, string? replacement, StringComparison comparison)
    {
        Grow(text, old, replacement, comparison);
        return text.Replace(old, replacement, comparison);
    }

    public static string ReplaceInBounds(
        this string text,
        string old,
        string? replacement,
        bool ignoreCase,
        CultureInfo? culture
    )
    {
        Grow(text, old, replacement, null);
        return text.Replace(old, replacement, ignoreCase, culture);
    }

    public static string ReplaceInBounds(this string text, char old, char replacement) =>
        ScriptSizes.Text(text)!.Replace(old, replacement);

    public static StringBuilder ReplaceInBounds(this StringBuilder text, string old, string? replacement)
    {
        Grow(text, old, replacement);
        return text.Replace(old, replacement);
    }

    public static StringBuilder ReplaceInBounds(
        this StringBuilder text,
        string old,
        string? replacement,
        int start,
        int count
    )
    {
        Grow(text, old, replacement);
        return text.Replace(old, replacement, start, count);
    }

    public static StringBuilder ReplaceInBounds(this StringBuilder text, char old, char replacement) =>
        text.Replace(old, replacement);

    public static StringBuilder ReplaceInBounds(
        this StringBuilder text,
        char old,
        char replacement,
        int start,
        int count
    ) => text.Replace(old, replacement, start, count);

    public static StringBuilder FormatInBounds(this StringBuilder text, string format, params object?[] values) =>
        text.Append(Format(null, format, values));

    public static StringBuilder FormatInBounds(
        this StringBuilder text,
        IFormatProvider? provider,
        string format,
        params object?[] values
    ) => text.Append(Format(provider, format, values));

    public static StringBuilder JoinInBounds(this StringBuilder text, string? separator, params string?[] values) =>
        text.Append(Join(separator, values));

    public static StringBuilder JoinInBounds(this StringBuilder text, string? separator, params object?[] values) =>
        text.Append(Join(separator, values));

    public static StringBuilder JoinInBounds<T>(this StringBuilder text, string? separator, IEnumerable<T> values) =>
        text.Append(Join(separator, values));

    public static StringBuilder JoinInBounds(this StringBuilder text, char separator, params string?[] values) =>
        text.Append(Join(separator, values));

    public static StringBuilder JoinInBounds(this StringBuilder text, char separator, params object?[] values) =>
        text.Append(Join(separator, values));

    public static StringBuilder JoinInBounds<T>(this StringBuilder text, char separator, IEnumerable<T> values) =>
        text.Append(Join(separator, values));

    internal static void CheckWidth(long width)
    {
        if (width is > MaxWidth or < -MaxWidth)
        {
            throw new InvalidOperationException(
                $"A format asks for a width of {width} characters; the widest is {MaxWidth}."
            );
        }
    }

    private static IEnumerable<T> Parts<T>(int separator, IEnumerable<T> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        switch (values)
        {
            // The framework joins these without an enumerator, so their texts are measured first.
            case string?[] texts:
                MeasureTexts(separator, texts);
                return values;
            case List<string?> texts:
                MeasureTexts(separator, CollectionsMarshal.AsSpan(texts));
                return values;
            default:
                return Counted(separator, values);
        }
    }

    private static void MeasureTexts(long separator, ReadOnlySpan<string?> texts)
    {
        var length = separator * texts.Length;
        for (var i = 0; i < texts.Length; i++)
        {
            if (i % StepEvery == 0)
                ScriptGuard.Step();
            length += texts[i]?.Length ?? 0;
        }

        if (length > Unmeasured)
            ScriptGuard.Claim(2 * length);
    }

    private static IEnumerable<T> Counted<T>(int separator, IEnumerable<T> values)
    {
        foreach (var value in values)
        {
            ScriptGuard.Step();
            if (separator > Unmeasured)
                ScriptGuard.Claim(2L * separator);
            if (!typeof(T).IsValueType)
                ScriptSizes.Claim(value);
            yield return value;
        }
    }

    private static void Grow(string text, string old, string? replacement, StringComparison? comparison)
    {
        ScriptSizes.Text(text);
        if (Most(text.Length, old, replacement) <= Unmeasured)
            return;
        long found = comparison == StringComparison.Ordinal ? Occurrences(text, old) : text.Length;
        ScriptGuard.Claim(2 * found * replacement!.Length);
    }

    private static void Grow(StringBuilder text, string old, string? replacement)
    {
        ScriptGuard.Step();
        if (Most(text.Length, old, replacement) > Unmeasured)
            ScriptGuard.Claim(2L * Occurrences(text.ToString(), old) * replacement!.Length);
    }

    private static long Most(int length, string? old, string? replacement) =>
        string.IsNullOrEmpty(old) || replacement is null || replacement.Length <= old.Length
            ? 0
            : (long)length * replacement.Length;

    private static int Occurrences(ReadOnlySpan<char> text, string old) => text.Count(old);

    /// <summary>
    /// Reads a composite format for widths and precisions, and claims room for the texts among its values.
    /// </summary>
    private static void Measure(string format, object?[] values)
    {
        long size = format.Length;
        for (var i = 0; i < format.Length; i++)
        {
            if (format[i] != '{')
                continue;
            var start = ++i;
            if (start < format.Length && format[start] == '{')
                continue;
            while (i < format.Length && format[i] != '}')
                i++;
            size += Hole(format.AsSpan(start, i - start), values);
        }

        if (size > Unmeasured)
            ScriptGuard.Claim(2 * size);
    }

    private static long Hole(ReadOnlySpan<char> hole, object?[] values)
    {
        var colon = hole.IndexOf(':');
        if (colon >= 0)
        {
            ScriptSizes.CheckPrecision(hole[(colon + 1)..]);
            hole = hole[..colon];
        }

        var comma = hole.IndexOf(',');
        if (comma >= 0)
        {
            var width = hole[(comma + 1)..].Trim();
            if (width.Length > 0)
            {
                CheckWidth(
                    long.TryParse(width, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
                        ? number
                    : width.Length > 6 ? long.MaxValue
                    : 0
                );
            }

            hole = hole[..comma];
        }

        return
            int.TryParse(hole.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var index)
            && index < values.Length
            ? MaxOf(values[index])
            : 0;
    }

    private static long MaxOf(object? value) =>
        value switch
        {
            string text => text.Length,
            ScriptValue { Kind: ScriptValueKind.Text } text => text.Text.Length,
            StringBuilder text => text.Length,
            _ => 64,
        };
}
