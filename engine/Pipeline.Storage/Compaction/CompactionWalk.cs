using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Goes through all trees by key, a bounded part in each write transaction, and moves what lies behind a boundary:
/// whatever other transactions do in between, a page that it passed lay before the boundary then.
/// </summary>
internal static class CompactionWalk
{
    /// <summary>Where it begins: the catalog.</summary>
    public static TreePageWalk.Position Start { get; } = new(true, null, []);

    /// <summary>Goes on from a position; returns the next one, null at the end.</summary>
    public static TreePageWalk.Position? Step(
        WriteTransaction transaction,
        TreePageWalk.Position position,
        CompactionStep step
    )
    {
        while (!step.IsSpent && transaction.Catalog.Catalog() is { } catalog)
        {
            var tree = catalog;
            if (position.Tree is not null)
            {
                if (
                    !TreePageWalk.TryFindTree(transaction, ref position, out _)
                    || transaction.Catalog.TryOpen(Encoding.UTF8.GetString(position.Tree!)) is not { } found
                )
                {
                    return null;
                }

                tree = found;
            }
            step.See();
            // The next tree is the first whose name is not less than this one's with a zero behind it.
            position = tree.MoveDown(position.Key, step) is { } next
                ? position with
                {
                    Key = next,
                }
                : new TreePageWalk.Position(true, position.Tree is null ? [] : [.. position.Tree, 0], []);
        }
        return transaction.Writer.CatalogRoot == 0 ? null : position;
    }
}
