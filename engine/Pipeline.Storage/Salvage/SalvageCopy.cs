namespace Pipeline.Storage;

/// <summary>Copies the leaves of one tree in key order, in transactions of bounded size.</summary>
internal sealed class SalvageCopy(OfflinePages pages, SalvageTree tree, StorageEnvironment target, IProgress<(string Stage, long Done)>? progress)
{
    private const int BatchBytes = 2 << 20;
    private const int BatchEntries = 4096;

    public async Task RunAsync(CancellationToken ct)
    {
        await target.WriteAsync(t => t.CreateTree(tree.Name), ct).ConfigureAwait(false);
        var leaves = tree.Leaves.Where(l => l.Page.Count > 0).Select(l => (Leaf: l, First: SalvageTree.First(l)))
            .OrderBy(l => l.First, Comparer<byte[]>.Create(static (a, b) => a.AsSpan().SequenceCompareTo(b))).ToList();
        var batch = new List<(byte[] Key, byte[] Value)>();
        var bytes = 0L;
        foreach (var (leaf, _) in leaves)
        {
            for (var i = 0; i < leaf.Page.Count; i++)
            {
                if (!TryRead(leaf, i, out var key, out var value))
                    continue;
                batch.Add((key, value));
                bytes += key.Length + value.Length;
                if (bytes < BatchBytes && batch.Count < BatchEntries)
                    continue;
                await WriteAsync(batch, ct).ConfigureAwait(false);
                (batch, bytes) = ([], 0);
            }
        }
        await WriteAsync(batch, ct).ConfigureAwait(false);
    }

    private bool TryRead(FoundLeaf leaf, int index, out byte[] key, out byte[] value)
    {
        key = LeafWalk.KeyOf(leaf.Page, index);
        var found = LeafWalk.TryValue(pages, leaf.Page, index, out var bytes, out var run, out var reason);
        value = bytes.ToArray();
        if (!found)
            tree.LostValues.Add(new LostKeys(tree.Name, KeyRange.Of(key), run, reason));
        return found;
    }

    private async Task WriteAsync(List<(byte[] Key, byte[] Value)> batch, CancellationToken ct)
    {
        if (batch.Count == 0)
            return;
        await target.WriteAsync(
            t =>
            {
                var into = t.CreateTree(tree.Name);
                foreach (var (key, value) in batch)
                    into.Put(key, value);
            },
            ct).ConfigureAwait(false);
        tree.Copied += batch.Count;
        progress?.Report((tree.Name, tree.Copied));
    }
}
