using System.Globalization;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>
/// The functions of <c>Math</c>. They return null for an argument that is not a number, and if there is no finite
/// result.
/// </summary>
internal static class MathFunctions
{
    private const int MaxDigits = 20;

    internal static readonly IReadOnlyList<string> Names =
    [
        "abs",
        "ceil",
        "floor",
        "round",
        "trunc",
        "sign",
        "sqrt",
        "pow",
        "min",
        "max",
    ];

    internal static ScriptValue? Invoke(string name, ScriptValue?[] arguments)
    {
        if (arguments.Length == 0 || !Array.TrueForAll(arguments, a => a is { IsNumber: true }))
            return null;
        if (name is "min" or "max")
        {
            return arguments.Aggregate(
                (a, b) => ScriptNumber.Compare(a!.Number, b!.Number) < 0 == (name == "min") ? a : b
            );
        }

        var number = arguments[0]!.Number;
        if (name is "sqrt")
            return ValueOperations.Finite(new DoubleValue(Math.Sqrt(number.AsDouble())));
        if (name is "pow")
        {
            return arguments.Length < 2
                ? null
                : ValueOperations.Finite(new DoubleValue(Math.Pow(number.AsDouble(), arguments[1]!.Number.AsDouble())));
        }

        if (!number.TryGetDecimal(out var value))
        {
            var large = number.AsDouble();
            return name is "abs" ? Math.Abs(large)
                : name is "sign" ? Math.Sign(large)
                : Math.Truncate(large);
        }

        return name switch
        {
            "abs" => Math.Abs(value),
            "ceil" => Math.Ceiling(value),
            "floor" => Math.Floor(value),
            // JavaScript rounds halves up, also below zero.
            "round" => Math.Floor(value + 0.5m),
            "sign" => Math.Sign(value),
            _ => Math.Truncate(value),
        };
    }

    internal static ScriptValue? ToFixed(ScriptNumber number, ScriptValue?[] arguments)
    {
        var digits = arguments.FirstOrDefault() is { IsNumber: true } given
            ? (int)Math.Clamp(given.Number.AsDouble(), 0, MaxDigits)
            : 0;
        return number.TryGetDecimal(out var value)
            ? Math.Round(value, digits, MidpointRounding.AwayFromZero)
                .ToString("F" + digits.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture)
            : number.ToString();
    }
}
