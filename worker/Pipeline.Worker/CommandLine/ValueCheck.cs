using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// Checks the values of a command's options before any other check, so that later checks see only readable values.
/// </summary>
internal static class ValueCheck
{
    /// <summary>
    /// Inserts this check before the command's own checks, which do not run if a value is wrong or missing.
    /// </summary>
    public static void PutBefore(Command command)
    {
        Action<CommandResult>[] own = [.. command.Validators];
        command.Validators.Clear();
        command.Validators.Add(result =>
        {
            var given = result.Children.OfType<OptionResult>().Where(o => !o.Implicit).ToList();
            var wrong = given.Select(Fault).FirstOrDefault(f => f is not null);
            if (wrong is not null)
            {
                result.AddError(wrong);
            }
            else if (given.TrueForAll(IsWhole))
            {
                foreach (var check in own)
                    check(result);
            }
        });
    }

    /// <summary>
    /// Returns the fault of the option's value for its type; <see langword="null"/> if nothing is, or if the option
    /// checks it itself.
    /// </summary>
    private static string? Fault(OptionResult result)
    {
        if (result.Option.Validators.Count > 0)
            return null;
        var type = Nullable.GetUnderlyingType(result.Option.ValueType) ?? result.Option.ValueType;
        foreach (var token in result.Tokens)
        {
            if (Expected(type, token.Value) is { } expected)
                return $"{result.Option.Name} '{token.Value}' is {expected}";
        }
        return null;
    }

    private static string? Expected(Type type, string text)
    {
        if (type == typeof(int))
        {
            return int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out _)
                ? null
                : OfInteger(text, int.MinValue, int.MaxValue);
        }

        if (type == typeof(long))
        {
            return long.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out _)
                ? null
                : OfInteger(text, long.MinValue, long.MaxValue);
        }

        if (type == typeof(double))
        {
            return
                double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
                && double.IsFinite(number)
                ? null
                : "not a number such as 90 or 7.5";
        }

        return null;
    }

    private static string OfInteger(string text, long least, long most) =>
        System.Numerics.BigInteger.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out _)
            ? string.Create(CultureInfo.InvariantCulture, $"out of range; the range is {least} to {most}")
            : "not a whole number";

    // The parser reports its own errors after these checks.
    private static bool IsWhole(OptionResult result) =>
        result.Tokens.Count >= result.Option.Arity.MinimumNumberOfValues
        && result.Tokens.Count <= result.Option.Arity.MaximumNumberOfValues;
}
