namespace Pipeline.Subscriptions;

/// <summary>A resync as stored in the checkpoint.</summary>
/// <param name="Through">The snapshot's position once the resync has begun; null while it waits for a worker.</param>
internal sealed record ResyncState(long? Through);

/// <summary>A batch's place in a resync.</summary>
public enum ResyncPhase
{
    /// <summary>
    /// The resync begins with this batch, which has no changes. Deletions were missed: at <see cref="End"/> the
    /// consumer must forget whatever it had before and did not receive in between.
    /// </summary>
    Begin,

    /// <summary>Documents of the snapshot.</summary>
    Snapshot,

    /// <summary>
    /// The resync ends with this batch, which has no changes: every document last changed no later than the snapshot
    /// was delivered. Later changes follow, including deletions.
    /// </summary>
    End,
}
