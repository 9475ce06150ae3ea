using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>Copies the leaves of one tree in key order, in transactions of bounded size.</summary>
internal sealed class SalvageCopy(
    OfflinePages pages,
    SalvageTree tree,
    StorageEnvironment target,
    IProgress<(string Stage, long Done)>? progress
)
{
    private const int BatchBytes = 2 << 20;
    private const int BatchEntries = 4096;

    public async Task RunAsync(CancellationToken ct)
    {
        await target.WriteAsync(t => t.CreateTree(tree.Name), ct).ConfigureAwait(false);
        var leaves = tree
            .Leaves.Where(l => l.Page(pages).Count > 0)
            .Select(l => (Leaf: l, First: tree.First(l)))
            .OrderBy(l => l.First, Comparer<byte[]>.Create(static (a, b) => a.AsSpan().SequenceCompareTo(b)))
            .ToList();
        var batch = new List<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>>();
        var bytes = 0L;
        foreach (var (leaf, _) in leaves)
        {
            pages.Forget();
            for (var (i, count) = (0, leaf.Page(pages).Count); i < count; i++)
            {
                if (!TryRead(leaf, i, out var key, out var value))
                    continue;
                // Leaves that were found without their parents may lie over each other: the later one's value then
                // holds.
                if (
                    bytes >= BatchBytes
                    || batch.Count >= BatchEntries
                    || (batch.Count > 0 && batch[^1].Key.Span.SequenceCompareTo(key) >= 0)
                )
                {
                    await WriteAsync(batch, ct).ConfigureAwait(false);
                    (batch, bytes) = ([], 0);
                }
                batch.Add(new(key, value));
                bytes += key.Length + value.Length;
            }
        }
        await WriteAsync(batch, ct).ConfigureAwait(false);
    }

    private bool TryRead(FoundLeaf leaf, int index, out byte[] key, out byte[] value)
    {
        var page = leaf.Page(pages);
        key = LeafWalk.KeyOf(page, index);
        var found = LeafWalk.TryValue(pages, page, index, out var bytes, out var run, out var reason);
        value = bytes.ToArray();
        if (!found)
            tree.LostValues.Add(new LostKeys(tree.Name, KeyRange.Of(key), run, reason));
        return found;
    }

    private async Task WriteAsync(
        List<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> batch,
        CancellationToken ct
    )
    {
        if (batch.Count == 0)
            return;
        await target
            .WriteAsync(t => t.CreateTree(tree.Name).PutSorted(CollectionsMarshal.AsSpan(batch)), ct)
            .ConfigureAwait(false);
        tree.Copied += batch.Count;
        progress?.Report((tree.Name, tree.Copied));
    }
}
