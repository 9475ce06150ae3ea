using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>What the store must hold after each operation of a workload: tree → key → value, as immutable dictionaries.</summary>
internal sealed class StoreModel
{
    private readonly List<ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>>> _states =
        [ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>>.Empty];

    /// <summary>Operations done.</summary>
    public int Count => _states.Count - 1;

    /// <summary>The state after the last operation.</summary>
    public ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> Last => _states[^1];

    public void Add(ImmutableDictionary<string, ImmutableSortedDictionary<string, byte[]>> state) => _states.Add(state);

    /// <summary>The number of operations that the store holds, by its own counter.</summary>
    public static int OperationsIn(Transaction transaction) =>
        transaction.TryOpenTree("n", out var tree) && tree.TryGet("n"u8, out var value) ? int.Parse(Encoding.UTF8.GetString(value), CultureInfo.InvariantCulture) : 0;

    /// <summary>What differs between a snapshot and the state after so many operations, or null.</summary>
    public string? Difference(Transaction transaction, int operations)
    {
        var expected = _states[operations];
        var names = transaction.TreeNames().Where(n => n is not ("n" or "after")).ToHashSet();
        if (!names.SetEquals(expected.Keys))
            return $"trees [{string.Join(' ', names)}] instead of [{string.Join(' ', expected.Keys)}]";
        foreach (var (name, tree) in expected)
        {
            using var cursor = transaction.OpenTree(name).OpenCursor();
            var more = cursor.SeekFirst();
            foreach (var (key, value) in tree)
            {
                if (!more)
                    return $"tree {name} ends before key {key}";
                if (!cursor.Key.SequenceEqual(Encoding.UTF8.GetBytes(key)))
                    return $"tree {name} has key {Encoding.UTF8.GetString(cursor.Key)} instead of {key}";
                if (!cursor.Value.SequenceEqual(value))
                    return $"tree {name}, key {key}: another value of {cursor.Value.Length} bytes instead of {value.Length}";
                more = cursor.MoveNext();
            }
            if (more)
                return $"tree {name} has key {Encoding.UTF8.GetString(cursor.Key)} too many";
        }
        return null;
    }
}
