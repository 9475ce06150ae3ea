global using StorageEnvironment = Pipeline.Database.Interim.StorageEnvironment;
global using Transaction = Pipeline.Database.Interim.Transaction;
global using ReadTransaction = Pipeline.Database.Interim.ReadTransaction;
global using WriteTransaction = Pipeline.Database.Interim.WriteTransaction;
global using Tree = Pipeline.Database.Interim.Tree;
global using TreeCursor = Pipeline.Database.Interim.TreeCursor;

using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Database.Interim;

#pragma warning disable CA1822, CA1001, CA1816, CA1051
// The storage API over sorted dictionaries in memory. It goes with the landing of Pipeline.Storage's environment.
internal sealed class StorageEnvironment : IDisposable
{
    internal ImmutableDictionary<string, ImmutableSortedDictionary<byte[], byte[]>> Trees = ImmutableDictionary<string, ImmutableSortedDictionary<byte[], byte[]>>.Empty;
    private readonly SemaphoreSlim _writer = new(1);
    private long _last;

    public event Action<long>? Committed;

    public static StorageEnvironment Open(StorageOptions options) => new();

    public StorageStatistics GetStatistics() => new();

    public ReadTransaction BeginRead() => new() { Trees = Trees };

    public async Task<T> WriteAsync<T>(Func<WriteTransaction, T> operation, CancellationToken ct = default)
    {
        await _writer.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            var tx = new WriteTransaction { Trees = Trees };
            T result = operation(tx);
            Trees = tx.Trees;
            Committed?.Invoke(++_last);
            return result;
        }
        finally
        {
            _writer.Release();
        }
    }

    public void Dispose()
    {
    }
}

internal abstract class Transaction : IDisposable
{
    internal ImmutableDictionary<string, ImmutableSortedDictionary<byte[], byte[]>> Trees = null!;

    public bool TryOpenTree(string name, [NotNullWhen(true)] out Tree? tree)
    {
        tree = Trees.ContainsKey(name) ? new Tree(this, name) : null;
        return tree is not null;
    }

    public void Dispose()
    {
    }
}

internal sealed class ReadTransaction : Transaction;

internal sealed class WriteTransaction : Transaction
{
    public Tree CreateTree(string name)
    {
        if (!Trees.ContainsKey(name)) Trees = Trees.Add(name, ImmutableSortedDictionary.Create<byte[], byte[]>(Comparer<byte[]>.Create((a, b) => a.AsSpan().SequenceCompareTo(b))));
        return new Tree(this, name);
    }
}

internal sealed class Tree(Transaction transaction, string name)
{
    internal ImmutableSortedDictionary<byte[], byte[]> Map => transaction.Trees[name];

    public long Count => Map.Count;

    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        bool found = Map.TryGetValue(key.ToArray(), out byte[]? v);
        value = v;
        return found;
    }

    public bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte[] k = key.ToArray();
        bool isNew = !Map.ContainsKey(k);
        transaction.Trees = transaction.Trees.SetItem(name, Map.SetItem(k, value.ToArray()));
        return isNew;
    }

    public Span<byte> Reserve(ReadOnlySpan<byte> key, int length)
    {
        var value = new byte[length];
        transaction.Trees = transaction.Trees.SetItem(name, Map.SetItem(key.ToArray(), value));
        return value;
    }

    public bool Delete(ReadOnlySpan<byte> key)
    {
        byte[] k = key.ToArray();
        bool had = Map.ContainsKey(k);
        transaction.Trees = transaction.Trees.SetItem(name, Map.Remove(k));
        return had;
    }

    public TreeCursor OpenCursor() => new(Map);
}

internal sealed class TreeCursor(ImmutableSortedDictionary<byte[], byte[]> map) : IDisposable
{
    private readonly byte[][] _keys = [.. map.Keys];
    private int _at = -1;

    public ReadOnlySpan<byte> Key => _keys[_at];

    public ReadOnlySpan<byte> Value => map[_keys[_at]];

    public bool SeekFirst() => To(0);

    public bool SeekLast() => To(_keys.Length - 1);

    public bool Seek(ReadOnlySpan<byte> key)
    {
        int i = Array.BinarySearch(_keys, key.ToArray(), map.KeyComparer);
        return To(i < 0 ? ~i : i);
    }

    public bool MoveNext() => To(_at + 1);

    public void Dispose()
    {
    }

    private bool To(int i)
    {
        _at = i;
        return i >= 0 && i < _keys.Length;
    }
}
