namespace Pipeline.Subscriptions;

/// <summary>A resync as stored in the checkpoint.</summary>
/// <param name="Through">The snapshot's position once the resync has begun; null while it waits for a worker.</param>
internal sealed record ResyncState(long? Through);
