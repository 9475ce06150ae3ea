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

    /// <summary>Changes that workers have dealt with a second, an average over about the last minute.</summary>
    public double PerSecond { get; init; }

    /// <summary>Why it stopped, or why a change was rejected or parked last; null where there was nothing. Since the start.</summary>
    public string? LastError { get; init; }

    /// <summary>When a worker last dealt with something; null before the first since the start.</summary>
    public DateTimeOffset? LastAcknowledged { get; init; }

    /// <summary>When a worker last connected; null before the first since the start.</summary>
    public DateTimeOffset? LastConnected { get; init; }

    /// <summary>Whether it gets all documents anew, or waits for a worker to do so.</summary>
    public bool IsResyncing { get; init; }

    /// <summary>The position of the snapshot that it gets; null where it waits for a worker or is in no resync.</summary>
    public long? ResyncThrough { get; init; }

    /// <summary>How far behind it is by its policy, and why, as it was measured last.</summary>
    public LagVerdict Verdict { get; init; } = LagVerdict.Fine;

    /// <summary>What waits for it and is kept because of it; null where it was not measured yet.</summary>
    public Pipeline.Database.ConsumerStatus? Consumer { get; init; }
}
