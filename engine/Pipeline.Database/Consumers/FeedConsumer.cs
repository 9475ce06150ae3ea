namespace Pipeline.Database;

/// <summary>
/// One who follows the change feed and keeps its position in the database's private state: for it tombstones are kept, and what waits for it is counted. Immutable.
/// </summary>
/// <remarks>
/// The private state at <see cref="PositionKey"/> is JSON: <c>position</c>, everything up to which is dealt with, and perhaps <c>keepAfter</c>: the position after which tombstones are
/// needed where that is another one, null where none are. No state is position 0.
/// </remarks>
public sealed record FeedConsumer
{
    /// <summary>Its name, which begins with its kind: <c>subscription/spain</c>, <c>etl/big-orders</c>. The same in any case.</summary>
    public required string Name { get; init; }

    /// <summary>The name of the private state that holds its position.</summary>
    public required string PositionKey { get; init; }

    /// <summary>The collections that it follows, in any case; null for all.</summary>
    public IReadOnlyList<string>? Collections { get; init; }

    /// <summary>With <see cref="Collections"/> null: collections that it leaves out. Those whose name begins with <c>@</c> are left out too, but for <c>@empty</c>.</summary>
    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>Whether it wants tombstones. Those of a consumer that does not are not kept for it.</summary>
    public bool Deletes { get; init; }

    /// <summary>When it was made or moved: nothing waits for it for longer than since then.</summary>
    public DateTimeOffset Since { get; init; }

    /// <summary>Whether changes of a collection are wanted.</summary>
    internal bool Takes(string collection)
    {
        if (Collections is not null) return Collections.Contains(collection, StringComparer.OrdinalIgnoreCase);
        return collection == Document.EmptyCollection || (!collection.StartsWith('@') && !Except.Contains(collection, StringComparer.OrdinalIgnoreCase));
    }
}
