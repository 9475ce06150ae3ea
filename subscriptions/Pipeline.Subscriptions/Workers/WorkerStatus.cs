namespace Pipeline.Subscriptions;

/// <summary>A worker at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Partitions">How many key partitions it owns.</param>
/// <param name="InFlight">Changes that it has and has not settled.</param>
/// <param name="Delivered">Changes delivered to it.</param>
/// <param name="Acknowledged">Changes that it has acknowledged.</param>
/// <param name="LeaseUntil">When its lease expires unless it reports; null while it has no batch.</param>
public sealed record WorkerStatus(
    string Name,
    int Partitions,
    int InFlight,
    long Delivered,
    long Acknowledged,
    DateTimeOffset? LeaseUntil
);
