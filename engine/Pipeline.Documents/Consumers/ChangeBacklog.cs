namespace Pipeline.Documents;

/// <summary>The backlog of the change feed after a position.</summary>
/// <param name="Changes">Changes: documents in their last version, and tombstones if they are wanted.</param>
/// <param name="Bytes">The bytes that they take as records, ids included and compression counted.</param>
/// <param name="Tombstones">How many of the changes are tombstones.</param>
/// <param name="Oldest">When the first of them was written; null where nothing waits.</param>
/// <param name="IsExact">
/// Whether the numbers were counted; otherwise they are estimated from samples. <paramref name="Oldest"/> is always
/// exact.
/// </param>
public sealed record ChangeBacklog(long Changes, long Bytes, long Tombstones, DateTimeOffset? Oldest, bool IsExact)
{
    /// <summary>Nothing waits.</summary>
    public static ChangeBacklog None { get; } = new(0, 0, 0, null, true);
}
