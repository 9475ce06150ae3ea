namespace Pipeline.Subscriptions;

/// <summary>A resync as the checkpoint keeps it.</summary>
/// <param name="Through">The position of the snapshot, once it has begun; null while it is waited for a worker.</param>
internal sealed record ResyncState(long? Through);
