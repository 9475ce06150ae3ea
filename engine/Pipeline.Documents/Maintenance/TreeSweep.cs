using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Walks trees of a salvaged database, a bounded number of entries per commit, and removes the entries that must not
/// stay.
/// </summary>
internal sealed class TreeSweep(StorageEnvironment storage)
{
    private const int Batch = 2_000;

    /// <summary>The entries removed so far.</summary>
    internal long Removed { get; private set; }

    /// <summary>
    /// Shows each entry of a tree to a function that says whether it stays, and that may write to other trees.
    /// </summary>
    internal async Task EachAsync(string tree, Func<WriteTransaction, byte[], byte[], bool> stays, CancellationToken ct)
    {
        byte[]? from = [];
        while (from is not null)
        {
            var start = from;
            (from, var removed) = await storage.WriteAsync(t => Some(t, tree, start, stays), ct).ConfigureAwait(false);
            Removed += removed;
        }
    }

    private static (byte[]? Next, int Removed) Some(
        WriteTransaction transaction,
        string name,
        byte[] from,
        Func<WriteTransaction, byte[], byte[], bool> stays
    )
    {
        if (!transaction.TryOpenTree(name, out var tree))
            return (null, 0);
        var some = new List<(byte[] Key, byte[] Value)>(Batch);
        byte[]? next = null;
        using (var cursor = tree.OpenCursor())
        {
            for (var any = cursor.Seek(from); any; any = cursor.MoveNext())
            {
                if (some.Count == Batch)
                {
                    next = cursor.Key.ToArray();
                    break;
                }

                some.Add((cursor.Key.ToArray(), cursor.Value.ToArray()));
            }
        }

        var removed = 0;
        foreach ((var key, var value) in some)
        {
            if (stays(transaction, key, value))
                continue;
            transaction.CreateTree(name).Delete(key);
            removed++;
        }

        return (next, removed);
    }
}
