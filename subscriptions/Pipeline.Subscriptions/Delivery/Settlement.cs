using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>What is to be made durable as dealt with.</summary>
/// <param name="Settled">The changes.</param>
/// <param name="Parked">Those of them that become dead letters; null where there are none.</param>
/// <param name="Effect">What a worker writes with it; null where there is nothing.</param>
internal sealed record Settlement(IReadOnlyList<DeliveryItem> Settled, IReadOnlyList<ParkedChange>? Parked, Action<DocumentTransaction>? Effect)
{
    /// <summary>Completed when another's commit has taken it along.</summary>
    public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}
