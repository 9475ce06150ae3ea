using System.ComponentModel;
using System.Globalization;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is System.String's static method of the same name.

/// <summary>What <c>string</c> is in a call of its static methods where an argument is a document's value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptString
{
    public static bool IsNullOrEmpty(ScriptValue? value) => value is null || string.IsNullOrEmpty(value.Text);

    public static bool IsNullOrWhiteSpace(ScriptValue? value) => value is null || string.IsNullOrWhiteSpace(value.Text);

    /// <summary>One value: its elements if it is an array; several: these.</summary>
    public static string Join(ScriptValue? separator, params object?[] values)
    {
        if (values is [ScriptValue { Kind: ScriptValueKind.Array } array])
            return CheckedText.Join(separator?.Text, array.Elements().Select(e => e?.Text));
        if (values is [not string and System.Collections.IEnumerable sequence and not ScriptValue])
            return CheckedText.Join(separator?.Text, sequence.Cast<object?>().Select(e => ScriptValue.From(e)?.Text));
        return CheckedText.Join(separator?.Text, values.Select(v => ScriptValue.From(v)?.Text));
    }

    public static string Concat(params object?[] values) => Join("", values);

    public static string Format(ScriptValue? format, params object?[] values) =>
        CheckedText.Format(CultureInfo.InvariantCulture, format?.Text ?? "", values);

    public static string Format(IFormatProvider provider, ScriptValue? format, params object?[] values) =>
        CheckedText.Format(provider, format?.Text ?? "", values);

    public static bool Equals(ScriptValue? a, ScriptValue? b) => ScriptComparer.AreEqual(a, b);

    public static bool Equals(ScriptValue? a, ScriptValue? b, StringComparison comparison) =>
        string.Equals(a?.Text, b?.Text, comparison);

    public static int Compare(ScriptValue? a, ScriptValue? b) =>
        string.Compare(a?.Text, b?.Text, StringComparison.InvariantCulture);

    public static int Compare(ScriptValue? a, ScriptValue? b, bool ignoreCase) =>
        string.Compare(
            a?.Text,
            b?.Text,
            ignoreCase ? StringComparison.InvariantCultureIgnoreCase : StringComparison.InvariantCulture
        );

    public static int Compare(ScriptValue? a, ScriptValue? b, StringComparison comparison) =>
        string.Compare(a?.Text, b?.Text, comparison);

    public static int CompareOrdinal(ScriptValue? a, ScriptValue? b) => string.CompareOrdinal(a?.Text, b?.Text);
}
