using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is System.Convert's method of the same name: it rounds to the even neighbour, and null is 0 or false.

/// <summary>Replaces <c>Convert</c> in a script if an argument is a document's value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptConvert
{
    public static int ToInt32(ScriptValue? value) => checked((int)ToInt64(value));

    public static short ToInt16(ScriptValue? value) => checked((short)ToInt64(value));

    public static byte ToByte(ScriptValue? value) => checked((byte)ToInt64(value));

    public static long ToInt64(ScriptValue? value) =>
        value is null ? 0
        : value.Kind == ScriptValueKind.Boolean ? (value.Boolean ? 1 : 0)
        : (long)ScriptMath.Round(value)!;

    public static decimal ToDecimal(ScriptValue? value) =>
        value is null ? 0
        : value.Kind == ScriptValueKind.Boolean ? (value.Boolean ? 1 : 0)
        : (decimal)value;

    public static double ToDouble(ScriptValue? value) =>
        value is null ? 0
        : value.Kind == ScriptValueKind.Boolean ? (value.Boolean ? 1 : 0)
        : (double)value;

    public static float ToSingle(ScriptValue? value) => (float)ToDouble(value);

    public static bool ToBoolean(ScriptValue? value) =>
        value switch
        {
            null => false,
            { IsNumber: true } => value.Number.AsDouble() != 0,
            { Kind: ScriptValueKind.Text } => bool.Parse(value.Text),
            _ => value.Boolean,
        };

    public static string ToString(ScriptValue? value) => value?.Text ?? "";

    public static DateTime ToDateTime(ScriptValue? value) => value is null ? DateTime.MinValue : value;
}
