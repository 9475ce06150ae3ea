using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// A batch's changes to one tree, over a snapshot of it. Reads see the changes, and the transaction then writes them.
/// Not thread-safe.
/// </summary>
internal sealed class TreeChanges(string name, Transaction snapshot)
{
    private readonly SortedSet<byte[]> _keys = new(KeyOrder.Instance);
    private readonly Dictionary<byte[], byte[]?> _values = new(KeyOrder.Instance);
    private readonly Tree? _tree = snapshot.TryOpenTree(name, out var tree) ? tree : null;

    /// <summary>Bytes held, about.</summary>
    public long Bytes { get; private set; }

    public void Put(byte[] key, byte[] value) => Set(key, value);

    public void Delete(byte[] key) => Set(key, null);

    public bool TryGet(byte[] key, out ReadOnlySpan<byte> value)
    {
        if (_values.TryGetValue(key, out var changed))
        {
            value = changed;
            return changed is not null;
        }

        value = default;
        return _tree is not null && _tree.TryGet(key, out value);
    }

    /// <summary>Copies of the entries whose keys begin with a prefix, in order, optionally from a key on.</summary>
    public IEnumerable<(byte[] Key, byte[] Value)> Range(byte[] prefix, byte[]? first = null)
    {
        var from = first ?? prefix;
        using var changed =
            _keys.Count == 0
                ? Enumerable.Empty<byte[]>().GetEnumerator()
                : _keys.GetViewBetween(from, Last(prefix)).GetEnumerator();
        var hasChanged = changed.MoveNext();
        using var cursor = _tree?.OpenCursor();
        var hasStored = cursor is not null && cursor.Seek(from) && cursor.Key.StartsWith(prefix);
        while (hasStored || hasChanged)
        {
            var order =
                !hasStored ? 1
                : !hasChanged ? -1
                : cursor!.Key.SequenceCompareTo(changed.Current);
            if (order < 0)
            {
                yield return (cursor!.Key.ToArray(), cursor.Value.ToArray());
            }
            else if (_values[changed.Current] is { } value)
            {
                yield return (changed.Current, value);
            }

            if (order <= 0)
                hasStored = cursor!.MoveNext() && cursor.Key.StartsWith(prefix);
            if (order >= 0)
                hasChanged = changed.MoveNext();
        }
    }

    /// <summary>Makes the changes; may be run again.</summary>
    public void Apply(WriteTransaction transaction)
    {
        if (_keys.Count == 0)
            return;
        var target = transaction.CreateTree(name);
        foreach (var key in _keys)
        {
            if (_values[key] is { } value)
                target.Put(key, value);
            else
                target.Delete(key);
        }
    }

    private void Set(byte[] key, byte[]? value)
    {
        if (_keys.Add(key))
            Bytes += 160 + key.Length;
        else
            Bytes -= _values[key]?.Length ?? 0;
        _values[key] = value;
        Bytes += value?.Length ?? 0;
    }

    /// <summary>Not less than any key that begins so.</summary>
    private static byte[] Last(byte[] prefix)
    {
        var last = new byte[1025];
        last.AsSpan().Fill(0xFF);
        prefix.CopyTo(last, 0);
        return last;
    }

    private sealed class KeyOrder : IComparer<byte[]>, IEqualityComparer<byte[]>
    {
        public static readonly KeyOrder Instance = new();

        public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);

        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public int GetHashCode(byte[] key)
        {
            var hash = default(HashCode);
            hash.AddBytes(key);
            return hash.ToHashCode();
        }
    }
}
