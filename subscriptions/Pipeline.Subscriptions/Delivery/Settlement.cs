using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>Changes to record durably as settled.</summary>
/// <param name="Settled">The changes.</param>
/// <param name="Parked">Those of the changes that become dead letters; null for none.</param>
/// <param name="Effect">What a worker writes in the same commit; null for nothing.</param>
internal sealed record Settlement(
    IReadOnlyList<DeliveryItem> Settled,
    IReadOnlyList<ParkedChange>? Parked,
    Action<DocumentTransaction>? Effect
)
{
    /// <summary>Completed when another caller's commit has included this one.</summary>
    public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>A change to park, with its kind and reason.</summary>
internal sealed record ParkedChange(DeliveryItem Item, string Kind, string Reason);
