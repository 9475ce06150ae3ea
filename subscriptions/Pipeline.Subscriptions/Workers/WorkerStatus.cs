namespace Pipeline.Subscriptions;

/// <summary>A worker at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Partitions">How many of the partitions of keys it has.</param>
/// <param name="InFlight">Changes that it has in hand.</param>
/// <param name="Delivered">Changes that it was given.</param>
/// <param name="Acknowledged">Changes that it has dealt with.</param>
/// <param name="LeaseUntil">When it is given up unless it is heard of; null while it has nothing in hand.</param>
public sealed record WorkerStatus(string Name, int Partitions, int InFlight, long Delivered, long Acknowledged, DateTimeOffset? LeaseUntil);
