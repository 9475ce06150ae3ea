namespace Pipeline.Documents.Events;

/// <summary>Which data is removed when a snapshot is saved.</summary>
public sealed record SnapshotRetention
{
    /// <summary>How many of the newest snapshots of a stream stay, at least 1; null for all.</summary>
    public int? Keep { get; init; }

    /// <summary>
    /// Whether the events that all kept snapshots contain go, too; at most <see cref="EventOptions.DeleteBatch"/> a
    /// save. Needs <see cref="Keep"/>.
    /// </summary>
    public bool DeleteEvents { get; init; }
}
