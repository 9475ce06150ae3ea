using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is System.Math's method of the same name; decimal where the value is one, null for null.

/// <summary>Replaces <c>Math</c> in a script if an argument is a document's value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptMath
{
    public static ScriptValue? Abs(ScriptValue? x) => Exact(x, decimal.Abs, double.Abs);

    public static ScriptValue? Floor(ScriptValue? x) => Exact(x, decimal.Floor, double.Floor);

    public static ScriptValue? Ceiling(ScriptValue? x) => Exact(x, decimal.Ceiling, double.Ceiling);

    public static ScriptValue? Truncate(ScriptValue? x) => Exact(x, decimal.Truncate, double.Truncate);

    public static ScriptValue? Round(ScriptValue? x) => Round(x, 0, MidpointRounding.ToEven);

    public static ScriptValue? Round(ScriptValue? x, int digits) => Round(x, digits, MidpointRounding.ToEven);

    public static ScriptValue? Round(ScriptValue? x, MidpointRounding mode) => Round(x, 0, mode);

    public static ScriptValue? Round(ScriptValue? x, int digits, MidpointRounding mode) =>
        Exact(x, d => decimal.Round(d, digits, mode), d => Math.Round(d, Math.Min(digits, 15), mode));

    public static int Sign(ScriptValue? x) => x is null ? 0 : Math.Sign(ScriptValue.ToNumber(x, "a number").AsDouble());

    public static ScriptValue? Max(ScriptValue? x, ScriptValue? y) =>
        x is null ? y
        : y is null ? x
        : ScriptComparer.Order(x, y) >= 0 ? x
        : y;

    public static ScriptValue? Min(ScriptValue? x, ScriptValue? y) =>
        x is null ? y
        : y is null ? x
        : ScriptComparer.Order(x, y) <= 0 ? x
        : y;

    public static ScriptValue? Clamp(ScriptValue? x, ScriptValue? low, ScriptValue? high) =>
        x is null ? null : Min(Max(x, low), high);

    public static ScriptValue? Pow(ScriptValue? x, ScriptValue? y) =>
        Real(x, a => Math.Pow(a, ScriptValue.ToNumber(y, "double").AsDouble()));

    public static ScriptValue? Sqrt(ScriptValue? x) => Real(x, Math.Sqrt);

    public static ScriptValue? Cbrt(ScriptValue? x) => Real(x, Math.Cbrt);

    public static ScriptValue? Log(ScriptValue? x) => Real(x, Math.Log);

    public static ScriptValue? Log(ScriptValue? x, ScriptValue? b) =>
        Real(x, a => Math.Log(a, ScriptValue.ToNumber(b, "double").AsDouble()));

    public static ScriptValue? Log2(ScriptValue? x) => Real(x, Math.Log2);

    public static ScriptValue? Log10(ScriptValue? x) => Real(x, Math.Log10);

    public static ScriptValue? Exp(ScriptValue? x) => Real(x, Math.Exp);

    public static ScriptValue? Sin(ScriptValue? x) => Real(x, Math.Sin);

    public static ScriptValue? Cos(ScriptValue? x) => Real(x, Math.Cos);

    public static ScriptValue? Tan(ScriptValue? x) => Real(x, Math.Tan);

    public static ScriptValue? Asin(ScriptValue? x) => Real(x, Math.Asin);

    public static ScriptValue? Acos(ScriptValue? x) => Real(x, Math.Acos);

    public static ScriptValue? Atan(ScriptValue? x) => Real(x, Math.Atan);

    public static ScriptValue? Atan2(ScriptValue? y, ScriptValue? x) =>
        Real(y, a => Math.Atan2(a, ScriptValue.ToNumber(x, "double").AsDouble()));

    private static ScriptValue? Exact(ScriptValue? x, Func<decimal, decimal> exact, Func<double, double> real)
    {
        if (x is null)
            return null;
        var number = ScriptValue.ToNumber(x, "a number");
        if (!number.TryGetDecimal(out var d))
            return new DoubleValue(real(number.AsDouble()));
        var result = exact(d);
        return number.Kind == ScriptValueKind.Integer && result == (long)result
            ? IntegerValue.Create((long)result)
            : new DecimalValue(result);
    }

    private static DoubleValue? Real(ScriptValue? x, Func<double, double> function)
    {
        if (x is null)
            return null;
        var result = function(ScriptValue.ToNumber(x, "double").AsDouble());
        return new DoubleValue(result);
    }
}
