using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// A consumer of the change feed that keeps its position in the database's private state. Tombstones are kept for it,
/// and its backlog is counted. Immutable.
/// </summary>
/// <remarks>
/// The private state at <see cref="PositionKey"/> is JSON. <c>position</c>: everything up to it is processed. Optional
/// <c>keepAfter</c>: tombstones are needed after this position, if it differs from <c>position</c>; null if none are
/// needed. A missing state means position 0.
/// </remarks>
public sealed record FeedConsumer
{
    /// <summary>
    /// Its name, which begins with its kind: <c>subscription/spain</c>, <c>etl/big-orders</c>. The same in any case.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>The name of the private state that holds its position.</summary>
    public required string PositionKey { get; init; }

    /// <summary>The collections that it follows, in any case; null for all.</summary>
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>
    /// With <see cref="Collections"/> null: collections that it leaves out. Those whose name begins with <c>@</c> are
    /// left out too, but for <c>@empty</c>.
    /// </summary>
    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>Whether it wants tombstones. Those of a consumer that does not are not kept for it.</summary>
    public bool Deletes { get; init; }

    /// <summary>When it was made or moved: nothing waits for it for longer than since then.</summary>
    public DateTimeOffset Since { get; init; }

    /// <summary>Whether changes of a collection are wanted.</summary>
    internal bool Takes(string collection) => Follows(Collections, Except, collection);

    /// <summary>Whether a selection of collections includes one. Allocates nothing.</summary>
    /// <param name="collections">
    /// The selected collections, in any case; null for all that are not the database's.
    /// </param>
    /// <param name="except">If all are selected: the collections that are left out, in any case; null for none.</param>
    /// <param name="collection">The collection to look for.</param>
    public static bool Follows(IReadOnlyList<string>? collections, IReadOnlyList<string>? except, string collection)
    {
        ArgumentNullException.ThrowIfNull(collection);
        if (collections is not null)
            return Contains(collections, collection);
        return !MetadataRules.IsSystemCollection(collection) && (except is null || !Contains(except, collection));
    }

    private static bool Contains(IReadOnlyList<string> names, string name)
    {
        for (var i = 0; i < names.Count; i++)
        {
            if (string.Equals(names[i], name, StringComparison.OrdinalIgnoreCase))
                return true;
        }

        return false;
    }
}
