namespace Pipeline.Subscriptions;

/// <summary>A subscription at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Definition">What it gives.</param>
/// <param name="Position">Everything up to here is dealt with.</param>
/// <param name="LastPosition">The last position in the database.</param>
/// <param name="LagSeconds">The age of the first change that is read and not dealt with; 0 where there is none.</param>
/// <param name="Waiting">Changes read ahead that no worker has.</param>
/// <param name="InFlight">Changes that workers have.</param>
/// <param name="Retrying">Changes that wait for another attempt.</param>
/// <param name="Parked">Changes parked since the start.</param>
/// <param name="Acknowledged">Changes that workers have dealt with since the start.</param>
/// <param name="HeldKeys">Keys of which a change is parked and later ones are held.</param>
/// <param name="Workers">The workers.</param>
/// <param name="Error">Why it stopped; null while it works.</param>
public sealed record SubscriptionStatus(
    string Name, SubscriptionDefinition Definition, long Position, long LastPosition, double LagSeconds, int Waiting, int InFlight, int Retrying, long Parked, long Acknowledged, int HeldKeys,
    IReadOnlyList<WorkerStatus> Workers, string? Error)
{
    /// <summary>Positions between the one that is dealt with and the last: at most so many changes wait.</summary>
    public long Lag => Math.Max(0, LastPosition - Position);
}
