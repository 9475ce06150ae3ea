using System.Globalization;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks that each position in a collection's trees leads to a matching record of that collection, and that the trees'
/// counts are right.
/// </summary>
internal sealed class CollectionCheck(
    OfflineStore store,
    string name,
    Tree? documents,
    Action<string?, long?, string> add
)
{
    /// <param name="seen">Records by collection number.</param>
    /// <param name="isWhole">Whether all records could be read, so that counts can be compared.</param>
    /// <param name="ct">Stops the check.</param>
    internal void Walk(IReadOnlyDictionary<int, (long Live, long Dead)> seen, bool isWhole, CancellationToken ct)
    {
        foreach (var tree in store.TreeNames())
        {
            var slash = tree.IndexOf('/', StringComparison.Ordinal);
            var isLive = slash > 0 && tree[..slash] == "collection";
            if (
                (!isLive && (slash <= 0 || tree[..slash] != "tombstones"))
                || !int.TryParse(tree.AsSpan(slash + 1), CultureInfo.InvariantCulture, out var number)
            )
            {
                continue;
            }

            var canCount = isWhole;
            store.Scan(tree, (key, _) => CheckEntry(tree, number, isLive, key), _ => canCount = false, ct);
            (var live, var dead) = seen.GetValueOrDefault(number);
            var count = store.OpenTree(tree)?.Count ?? 0;
            if (canCount && count != (isLive ? live : dead))
                add(null, null, $"tree '{tree}' counts {count} records, {(isLive ? live : dead)} are there");
        }
    }

    private void CheckEntry(string tree, int number, bool isLive, ReadOnlySpan<byte> key)
    {
        if (key.Length != DocumentKeys.PositionBytes)
        {
            add(null, null, $"a key of tree '{tree}' has {key.Length} bytes, not {DocumentKeys.PositionBytes}");
            return;
        }

        var position = DocumentKeys.ReadPosition(key);
        try
        {
            if (documents is null || !documents.TryGet(key, out var bytes))
            {
                add(null, position, $"tree '{tree}' lists this position, which has no record");
                return;
            }

            var record = new DocumentRecord(bytes, name);
            if (record.CollectionId != number || record.IsDeleted == isLive)
            {
                add(
                    System.Text.Encoding.UTF8.GetString(record.Id),
                    position,
                    $"tree '{tree}' lists this position, whose record belongs to tree '{(record.IsDeleted ? DatabaseTrees.Tombstones(record.CollectionId) : DatabaseTrees.Live(record.CollectionId))}'"
                );
            }
        }
        catch (Exception e) when (e is CorruptPageException or DatabaseCorruptException)
        {
            // The walk over the records themselves reports the damage.
        }
    }
}
