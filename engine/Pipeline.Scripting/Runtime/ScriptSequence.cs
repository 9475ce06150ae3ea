using System.Collections;
using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Sequences in a script: what <c>Enumerable.Range</c> and <c>Repeat</c> are there, and the links of a chain that a
/// script builds step by step.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptSequence
{
    /// <summary>Integers from <paramref name="start"/>, counted as steps.</summary>
    public static IEnumerable<int> Range(int start, int count) => Counted(Enumerable.Range(start, count));

    /// <summary>Repeats one element, counting each as a step.</summary>
    public static IEnumerable<T> Repeat<T>(T element, int count) => Counted(Enumerable.Repeat(element, count));

    /// <summary>
    /// A sequence that a query reads and that may be a query itself: each step checks the stack and is counted.
    /// Collections are returned unchanged.
    /// </summary>
    /// <remarks>A chain that a loop makes long is read by recursion, from its last query to its first.</remarks>
    public static IEnumerable<T> Source<T>(IEnumerable<T> source) =>
        source is ICollection<T> or IGrouping<object, T> or null ? source! : Linked(source);

    /// <inheritdoc cref="Source{T}(IEnumerable{T})"/>
    public static IEnumerable Source(IEnumerable source) =>
        source is ICollection or null ? source! : Linked(source.Cast<object?>());

    internal static IEnumerable<T> Counted<T>(IEnumerable<T> source)
    {
        foreach (var item in source)
        {
            ScriptGuard.Step();
            yield return item;
        }
    }

    private static IEnumerable<T> Linked<T>(IEnumerable<T> source)
    {
        ScriptGuard.Call();
        using var items = source.GetEnumerator();
        while (true)
        {
            ScriptGuard.Call();
            if (!items.MoveNext())
                yield break;
            yield return items.Current;
        }
    }
}
