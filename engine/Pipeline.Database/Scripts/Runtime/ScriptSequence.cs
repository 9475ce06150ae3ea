using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>What <c>Enumerable.Range</c> and <c>Repeat</c> are in a script: the same, counted as steps.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptSequence
{
    /// <summary>Integers from <paramref name="start"/>.</summary>
    public static IEnumerable<int> Range(int start, int count)
    {
        foreach (var i in Enumerable.Range(start, count))
        {
            ScriptGuard.Step();
            yield return i;
        }
    }

    /// <summary>One element so many times.</summary>
    public static IEnumerable<T> Repeat<T>(T element, int count)
    {
        for (var i = 0; i < count; i++)
        {
            ScriptGuard.Step();
            yield return element;
        }
    }
}
