namespace Pipeline.Subscriptions;

/// <summary>Where in a resync a batch stands.</summary>
public enum ResyncPhase
{
    /// <summary>It begins with this batch, which has no changes. Deletions were missed: what the consumer has and does not get until <see cref="End"/> is to be forgotten then.</summary>
    Begin,

    /// <summary>Documents of the snapshot.</summary>
    Snapshot,

    /// <summary>It ends with this batch, which has no changes: all documents were given whose last change is not after the snapshot. Changes after it follow, deletions among them.</summary>
    End,
}
