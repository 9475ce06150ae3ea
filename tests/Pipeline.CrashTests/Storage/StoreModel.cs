using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// What the store must hold after each operation of a workload: tree → key → value, as immutable dictionaries.
/// </summary>
internal sealed class StoreModel
{
    private readonly List<ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>>> _states =
    [
        ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>>.Empty,
    ];

    private readonly Dictionary<int, FrozenState> _frozen = [];

    /// <summary>One state in the form that comparing is quickest with.</summary>
    private sealed record FrozenState(HashSet<string> Names, (string Name, (byte[] Key, byte[] Value)[] Pairs)[] Trees);

    /// <summary>Operations done.</summary>
    public int Count => _states.Count - 1;

    /// <summary>The state after the last operation.</summary>
    public ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> Last => _states[^1];

    public void Add(ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> state) => _states.Add(state);

    /// <summary>The model without the operations from a number on.</summary>
    public StoreModel Without(int from)
    {
        var model = new StoreModel();
        model._states.Clear();
        model._states.AddRange(_states.Take(from + 1));
        return model;
    }

    /// <summary>A model that begins with the state.</summary>
    public static StoreModel Of(ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> state)
    {
        var model = new StoreModel();
        model._states[0] = state;
        return model;
    }

    /// <summary>The number of operations that the store holds, by its own counter.</summary>
    public static int OperationsIn(Transaction transaction) =>
        transaction.TryOpenTree("n", out var tree) && tree.TryGet("n"u8, out var value)
            ? int.Parse(Encoding.UTF8.GetString(value), CultureInfo.InvariantCulture)
            : 0;

    /// <summary>
    /// Returns the first difference between a snapshot and the state after so many operations, or null.
    /// </summary>
    public string? Difference(Transaction transaction, int operations)
    {
        var expected = Freeze(operations);
        var names = transaction.TreeNames().Where(n => n is not ("n" or "after")).ToList();
        if (names.Count != expected.Names.Count || !names.TrueForAll(expected.Names.Contains))
            return $"trees [{string.Join(' ', names)}] instead of [{string.Join(' ', expected.Names)}]";
        foreach (var (name, pairs) in expected.Trees)
        {
            using var cursor = transaction.OpenTree(name).OpenCursor();
            var more = cursor.SeekFirst();
            foreach (var (key, value) in pairs)
            {
                if (!more)
                    return $"tree {name} ends before key {Encoding.UTF8.GetString(key)}";
                if (!cursor.Key.SequenceEqual(key))
                    return $"tree {name} has key {Encoding.UTF8.GetString(cursor.Key)} instead of {Encoding.UTF8.GetString(key)}";
                if (!cursor.Value.SequenceEqual(value))
                    return $"tree {name}, key {Encoding.UTF8.GetString(key)}: another value of {cursor.Value.Length} bytes instead of {value.Length}";
                more = cursor.MoveNext();
            }
            if (more)
                return $"tree {name} has key {Encoding.UTF8.GetString(cursor.Key)} too many";
        }
        return null;
    }

    private FrozenState Freeze(int operations)
    {
        if (!_frozen.TryGetValue(operations, out var frozen))
        {
            var state = _states[operations];
            _frozen[operations] = frozen = new FrozenState(
                [.. state.Keys],
                [
                    .. state.Select(tree =>
                        (tree.Key, tree.Value.Select(pair => (Encoding.UTF8.GetBytes(pair.Key), pair.Value)).ToArray())
                    ),
                ]
            );
        }
        return frozen;
    }
}
