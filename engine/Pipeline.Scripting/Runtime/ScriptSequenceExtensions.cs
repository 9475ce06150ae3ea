using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is Enumerable's method of the same name, over values; null elements are left out as by its nullable forms.

/// <summary>Aggregates of LINQ over values, in addition to Enumerable's for .NET's number types.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptSequenceExtensions
{
    public static ScriptValue Sum(this IEnumerable<ScriptValue?> source)
    {
        ScriptValue sum = 0;
        foreach (var value in source)
        {
            if (value is not null)
                sum = (sum + value)!;
        }

        return sum;
    }

    public static ScriptValue Sum<T>(this IEnumerable<T> source, Func<T, ScriptValue?> selector) =>
        source.Select(selector).Sum();

    public static ScriptValue? Average(this IEnumerable<ScriptValue?> source)
    {
        ScriptValue sum = 0m;
        var count = 0L;
        foreach (var value in source)
        {
            if (value is null)
                continue;
            sum = (sum + value)!;
            count++;
        }

        return count == 0 ? null : ScriptNumber.Apply('/', sum.Number, new ScriptNumber((decimal)count));
    }

    public static ScriptValue? Average<T>(this IEnumerable<T> source, Func<T, ScriptValue?> selector) =>
        source.Select(selector).Average();

    public static ScriptValue? Min(this IEnumerable<ScriptValue?> source) => Best(source, -1);

    public static ScriptValue? Max(this IEnumerable<ScriptValue?> source) => Best(source, 1);

    public static ScriptValue? Min<T>(this IEnumerable<T> source, Func<T, ScriptValue?> selector) =>
        Best(source.Select(selector), -1);

    public static ScriptValue? Max<T>(this IEnumerable<T> source, Func<T, ScriptValue?> selector) =>
        Best(source.Select(selector), 1);

    public static bool Contains(this IEnumerable<ScriptValue?> source, ScriptValue? value) =>
        source.Any(v => ScriptComparer.AreEqual(v, value));

    public static bool Contains(this IEnumerable<string?> source, ScriptValue? value)
    {
        var text = value?.Text;
        return source.Any(s => string.Equals(s, text, StringComparison.Ordinal));
    }

    public static IEnumerable<ScriptValue?> SelectMany<T>(this IEnumerable<T> source, Func<T, ScriptValue?> selector) =>
        source.SelectMany(item => selector(item).OrEmpty());

    public static IEnumerable<TResult> SelectMany<T, TResult>(
        this IEnumerable<T> source,
        Func<T, ScriptValue?> selector,
        Func<T, ScriptValue?, TResult> result
    ) => source.SelectMany(item => selector(item).OrEmpty(), result);

    public static IEnumerable<ScriptValue?> Concat(this IEnumerable<ScriptValue?> source, ScriptValue? other) =>
        Enumerable.Concat(source, other.OrEmpty());

    private static ScriptValue? Best(IEnumerable<ScriptValue?> source, int sign)
    {
        ScriptValue? best = null;
        foreach (var value in source)
        {
            if (value is not null && (best is null || ScriptComparer.Order(value, best) * sign > 0))
                best = value;
        }

        return best;
    }
}
