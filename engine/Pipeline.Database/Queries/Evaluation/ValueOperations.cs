using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>
/// What operators give. Numbers are exact where a decimal holds them; <c>+</c> joins texts, and null joined to a text
/// is nothing. What is not defined (a number and an object, null in arithmetic, a division by zero) is null, so that
/// one odd document does not fail a query.
/// </summary>
internal static class ValueOperations
{
    /// <summary>Whether a value counts as true: all but null, false, 0 and the empty text do.</summary>
    internal static bool IsTrue(ScriptValue? value) =>
        value switch
        {
            null => false,
            { Kind: ScriptValueKind.Boolean } => value.Boolean,
            { Kind: ScriptValueKind.Text } => value.Text.Length > 0,
            { IsNumber: true } => value.Number.AsDouble() != 0,
            _ => true,
        };

    internal static ScriptValue? Apply(ArithmeticOperator op, ScriptValue? a, ScriptValue? b)
    {
        if (op == ArithmeticOperator.Add && (a?.Kind == ScriptValueKind.Text || b?.Kind == ScriptValueKind.Text))
            return new TextValue(a?.Text + b?.Text);
        if (a is not { IsNumber: true } || b is not { IsNumber: true })
            return null;
        ScriptNumber x = a.Number,
            y = b.Number;
        var divides = op is ArithmeticOperator.Divide or ArithmeticOperator.Remainder;
        if (divides && y.AsDouble() == 0)
            return null;
        // Whole numbers divide without being cut.
        if (op == ArithmeticOperator.Divide && x.TryGetDecimal(out var dividend) && y.TryGetDecimal(out var divisor))
        {
            (x, y) = (new ScriptNumber(dividend), new ScriptNumber(divisor));
        }

        return Finite(
            ScriptNumber.Apply(
                op switch
                {
                    ArithmeticOperator.Add => '+',
                    ArithmeticOperator.Subtract => '-',
                    ArithmeticOperator.Multiply => '*',
                    ArithmeticOperator.Divide => '/',
                    _ => '%',
                },
                x,
                y
            )
        );
    }

    internal static ScriptValue? Negate(ScriptValue? value) =>
        value is { IsNumber: true } ? Finite(ScriptNumber.Apply('-', new ScriptNumber(0L), value.Number)) : null;

    internal static bool Compare(ComparisonOperator op, ScriptValue? a, ScriptValue? b)
    {
        if (op is ComparisonOperator.Equal or ComparisonOperator.NotEqual)
            return ScriptComparer.AreEqual(a, b) == (op == ComparisonOperator.Equal);
        if (a is null || b is null || !ScriptComparer.TryCompare(a, b, out var order))
            return false;
        return op switch
        {
            ComparisonOperator.Less => order < 0,
            ComparisonOperator.LessOrEqual => order <= 0,
            ComparisonOperator.Greater => order > 0,
            _ => order >= 0,
        };
    }

    /// <summary>JSON has no infinity and no NaN.</summary>
    internal static ScriptValue? Finite(ScriptValue value) =>
        value.Kind == ScriptValueKind.Double && !double.IsFinite(value.Number.AsDouble()) ? null : value;
}
