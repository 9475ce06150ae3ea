using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // The operators are C#'s; what differs is said at the type.

/// <content>Operators: null with anything gives null, a comparison with null is false, texts join with +.</content>
[SuppressMessage(
    "Usage",
    "CA2225:Operator overloads have named alternates",
    Justification = "Scripts use the operators."
)]
public abstract partial class ScriptValue
{
    public static ScriptValue? operator +(ScriptValue? a, ScriptValue? b)
    {
        if (a is null || b is null)
        {
            var other = a ?? b;
            return other is { Kind: ScriptValueKind.Text } ? other : null;
        }

        if (a.IsNumber && b.IsNumber)
            return ScriptNumber.Apply('+', a.Number, b.Number);
        if (b.Kind == ScriptValueKind.Span && ScriptDates.TryReadSpan(b, out var span))
        {
            if (ScriptDates.TryReadSpan(a, out var first) && a.Kind == ScriptValueKind.Span)
                return new WrappedValue(first + span);
            if (ScriptDates.TryRead(a, out var date))
                return date.With(date.Value + span);
        }

        if (a.Kind == ScriptValueKind.Text || b.Kind == ScriptValueKind.Text)
            return new TextValue(ScriptSizes.Text(a.Text) + ScriptSizes.Text(b.Text));
        throw Undefined("+", a, b);
    }

    public static string operator +(string? a, ScriptValue? b) => ScriptSizes.Text(a) + ScriptSizes.Text(b?.Text);

    public static string operator +(ScriptValue? a, string? b) => ScriptSizes.Text(a?.Text) + ScriptSizes.Text(b);

    public static ScriptValue? operator -(ScriptValue? a, ScriptValue? b)
    {
        if (a is null || b is null)
            return null;
        if (a.IsNumber && b.IsNumber)
            return ScriptNumber.Apply('-', a.Number, b.Number);
        if (ScriptDates.TryRead(a, out var x))
        {
            if (ScriptDates.TryRead(b, out var y))
                return new WrappedValue(x.Value - y.Value);
            if (ScriptDates.TryReadSpan(b, out var span))
                return x.With(x.Value - span);
        }
        else if (ScriptDates.TryReadSpan(a, out var p) && ScriptDates.TryReadSpan(b, out var q))
        {
            return new WrappedValue(p - q);
        }

        throw Undefined("-", a, b);
    }

    public static ScriptValue? operator *(ScriptValue? a, ScriptValue? b) => Arithmetic('*', a, b);

    public static ScriptValue? operator /(ScriptValue? a, ScriptValue? b) => Arithmetic('/', a, b);

    public static ScriptValue? operator %(ScriptValue? a, ScriptValue? b) => Arithmetic('%', a, b);

    public static ScriptValue? operator -(ScriptValue? a) =>
        a is null ? null : ScriptNumber.Apply('-', new ScriptNumber(0L), a.Number);

    public static ScriptValue? operator +(ScriptValue? a) => a;

    public static ScriptValue? operator ++(ScriptValue? a) => a + (ScriptValue)1;

    public static ScriptValue? operator --(ScriptValue? a) => a - (ScriptValue)1;

    public static bool operator !(ScriptValue? a) => a is null || !a.Boolean;

    public static bool operator ==(ScriptValue? a, ScriptValue? b) => ScriptComparer.AreEqual(a, b);

    public static bool operator !=(ScriptValue? a, ScriptValue? b) => !ScriptComparer.AreEqual(a, b);

    public static bool operator <(ScriptValue? a, ScriptValue? b) => Comparable(a, b, out var order) && order < 0;

    public static bool operator >(ScriptValue? a, ScriptValue? b) => Comparable(a, b, out var order) && order > 0;

    public static bool operator <=(ScriptValue? a, ScriptValue? b) => Comparable(a, b, out var order) && order <= 0;

    public static bool operator >=(ScriptValue? a, ScriptValue? b) => Comparable(a, b, out var order) && order >= 0;

    public static ScriptValue? operator -(DateTime a, ScriptValue? b) => (ScriptValue)a - b;

    public static ScriptValue? operator -(ScriptValue? a, DateTime b) => a - (ScriptValue)b;

    public static ScriptValue? operator +(DateTime a, ScriptValue? b) => (ScriptValue)a + b;

    public static bool operator ==(DateTime a, ScriptValue? b) => (ScriptValue)a == b;

    public static bool operator ==(ScriptValue? a, DateTime b) => a == (ScriptValue)b;

    public static bool operator !=(DateTime a, ScriptValue? b) => (ScriptValue)a != b;

    public static bool operator !=(ScriptValue? a, DateTime b) => a != (ScriptValue)b;

    public static bool operator <(DateTime a, ScriptValue? b) => (ScriptValue)a < b;

    public static bool operator <(ScriptValue? a, DateTime b) => a < (ScriptValue)b;

    public static bool operator >(DateTime a, ScriptValue? b) => (ScriptValue)a > b;

    public static bool operator >(ScriptValue? a, DateTime b) => a > (ScriptValue)b;

    public static bool operator <=(DateTime a, ScriptValue? b) => (ScriptValue)a <= b;

    public static bool operator <=(ScriptValue? a, DateTime b) => a <= (ScriptValue)b;

    public static bool operator >=(DateTime a, ScriptValue? b) => (ScriptValue)a >= b;

    public static bool operator >=(ScriptValue? a, DateTime b) => a >= (ScriptValue)b;

    public static ScriptValue? operator -(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a - b;

    public static ScriptValue? operator -(ScriptValue? a, DateTimeOffset b) => a - (ScriptValue)b;

    public static ScriptValue? operator +(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a + b;

    public static bool operator ==(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a == b;

    public static bool operator ==(ScriptValue? a, DateTimeOffset b) => a == (ScriptValue)b;

    public static bool operator !=(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a != b;

    public static bool operator !=(ScriptValue? a, DateTimeOffset b) => a != (ScriptValue)b;

    public static bool operator <(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a < b;

    public static bool operator <(ScriptValue? a, DateTimeOffset b) => a < (ScriptValue)b;

    public static bool operator >(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a > b;

    public static bool operator >(ScriptValue? a, DateTimeOffset b) => a > (ScriptValue)b;

    public static bool operator <=(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a <= b;

    public static bool operator <=(ScriptValue? a, DateTimeOffset b) => a <= (ScriptValue)b;

    public static bool operator >=(DateTimeOffset a, ScriptValue? b) => (ScriptValue)a >= b;

    public static bool operator >=(ScriptValue? a, DateTimeOffset b) => a >= (ScriptValue)b;

    public static ScriptValue? operator -(TimeSpan a, ScriptValue? b) => (ScriptValue)a - b;

    public static ScriptValue? operator -(ScriptValue? a, TimeSpan b) => a - (ScriptValue)b;

    public static ScriptValue? operator +(TimeSpan a, ScriptValue? b) => (ScriptValue)a + b;

    public static ScriptValue? operator +(ScriptValue? a, TimeSpan b) => a + (ScriptValue)b;

    public static bool operator ==(TimeSpan a, ScriptValue? b) => (ScriptValue)a == b;

    public static bool operator ==(ScriptValue? a, TimeSpan b) => a == (ScriptValue)b;

    public static bool operator !=(TimeSpan a, ScriptValue? b) => (ScriptValue)a != b;

    public static bool operator !=(ScriptValue? a, TimeSpan b) => a != (ScriptValue)b;

    public static bool operator <(TimeSpan a, ScriptValue? b) => (ScriptValue)a < b;

    public static bool operator <(ScriptValue? a, TimeSpan b) => a < (ScriptValue)b;

    public static bool operator >(TimeSpan a, ScriptValue? b) => (ScriptValue)a > b;

    public static bool operator >(ScriptValue? a, TimeSpan b) => a > (ScriptValue)b;

    public static bool operator <=(TimeSpan a, ScriptValue? b) => (ScriptValue)a <= b;

    public static bool operator <=(ScriptValue? a, TimeSpan b) => a <= (ScriptValue)b;

    public static bool operator >=(TimeSpan a, ScriptValue? b) => (ScriptValue)a >= b;

    public static bool operator >=(ScriptValue? a, TimeSpan b) => a >= (ScriptValue)b;

    public static bool operator ==(Guid a, ScriptValue? b) => (ScriptValue)a == b;

    public static bool operator ==(ScriptValue? a, Guid b) => a == (ScriptValue)b;

    public static bool operator !=(Guid a, ScriptValue? b) => (ScriptValue)a != b;

    public static bool operator !=(ScriptValue? a, Guid b) => a != (ScriptValue)b;

    private static ScriptValue? Arithmetic(char operation, ScriptValue? a, ScriptValue? b)
    {
        if (a is null || b is null)
            return null;
        if (a.IsNumber && b.IsNumber)
            return ScriptNumber.Apply(operation, a.Number, b.Number);
        throw Undefined(operation.ToString(), a, b);
    }

    private static bool Comparable(ScriptValue? a, ScriptValue? b, out int order)
    {
        order = 0;
        return a is not null && b is not null && ScriptComparer.TryCompare(a, b, out order);
    }

    private static InvalidOperationException Undefined(string operation, ScriptValue a, ScriptValue b) =>
        new($"{Describe(a)} {operation} {Describe(b)} is not defined.");
}
