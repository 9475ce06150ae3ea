using System.ComponentModel;
using System.Globalization;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // The names are those that definitions use.

/// <summary><c>.Boost(factor)</c> in index definitions, of a field's value or of the whole entry.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptBoosts
{
    public static Boosted<T> Boost<T>(this T value, ScriptValue? factor)
    {
        var number = factor is null ? 1 : ScriptValue.ToNumber(factor, "a boost").AsDouble();
        return double.IsFinite(number) && number >= 0
            ? new Boosted<T>(value, number)
            : throw new InvalidOperationException(
                string.Create(CultureInfo.InvariantCulture, $"a boost is a number from 0, not {number}")
            );
    }
}

/// <summary>
/// A value, or a whole entry, of an index with the factor for its scores: the result of <c>.Boost(2)</c>.
/// </summary>
/// <param name="Value">The value.</param>
/// <param name="Factor">The factor.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Boosted<T>(T Value, double Factor);
