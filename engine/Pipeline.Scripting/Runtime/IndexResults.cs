using System.Collections;
using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>The value of <c>results</c> in a reduce: the outputs of one group, to be grouped by its key.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class IndexResults
{
    internal IndexResults() { }

    /// <summary>The inputs of the next run, all of the same group.</summary>
    internal IReadOnlyList<ScriptValue?> Inputs { get; set; } = [];

    /// <summary>Writes the group key of an output; known once the reduce has been built.</summary>
    internal Action<IndexEntryWriter, ScriptValue?>? WriteKey { get; private set; }

    /// <summary>Groups by a key.</summary>
    public IEnumerable<IGrouping<TKey, ScriptValue?>> GroupBy<TKey>(Func<ScriptValue?, TKey> key) =>
        GroupBy(key, static r => r);

    /// <summary>Groups parts of the outputs by a key.</summary>
    public IEnumerable<IGrouping<TKey, TElement>> GroupBy<TKey, TElement>(
        Func<ScriptValue?, TKey> key,
        Func<ScriptValue?, TElement> element
    )
    {
        WriteKey = (writer, output) => EntryFields<TKey>.Write(writer, key(output));
        return Groups(key, element);
    }

    private IEnumerable<IGrouping<TKey, TElement>> Groups<TKey, TElement>(
        Func<ScriptValue?, TKey> key,
        Func<ScriptValue?, TElement> element
    )
    {
        if (Inputs.Count > 0)
            yield return new Group<TKey, TElement>(key(Inputs[0]), Inputs, element);
    }

    private sealed class Group<TKey, TElement>(
        TKey key,
        IReadOnlyList<ScriptValue?> inputs,
        Func<ScriptValue?, TElement> element
    ) : IGrouping<TKey, TElement>
    {
        public TKey Key => key;

        public IEnumerator<TElement> GetEnumerator()
        {
            for (var i = 0; i < inputs.Count; i++)
            {
                ScriptGuard.Step();
                yield return element(inputs[i]);
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
