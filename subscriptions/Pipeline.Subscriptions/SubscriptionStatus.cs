using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>A subscription at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Definition">Its definition.</param>
/// <param name="Position">Everything up to here is settled.</param>
/// <param name="LastPosition">The last position in the database.</param>
/// <param name="LagSeconds">
/// The age in seconds of the first change that is read but not settled; 0 if there is none.
/// </param>
/// <param name="Waiting">Changes read ahead that no worker has.</param>
/// <param name="InFlight">Changes that workers have.</param>
/// <param name="Retrying">Changes that wait for another attempt.</param>
/// <param name="Parked">Changes parked since the start.</param>
/// <param name="Acknowledged">Changes that workers have acknowledged since the start.</param>
/// <param name="HeldKeys">Keys with a parked change, whose later changes are held.</param>
/// <param name="Workers">The workers.</param>
/// <param name="Error">Why it stopped; null while it runs.</param>
public sealed record SubscriptionStatus(
    string Name,
    SubscriptionDefinition Definition,
    long Position,
    long LastPosition,
    double LagSeconds,
    int Waiting,
    int InFlight,
    int Retrying,
    long Parked,
    long Acknowledged,
    int HeldKeys,
    IReadOnlyList<WorkerStatus> Workers,
    string? Error
)
{
    /// <summary>Positions between the settled one and the last: at most this many changes wait.</summary>
    public long Lag => Math.Max(0, LastPosition - Position);

    /// <summary>Changes that workers acknowledge per second, averaged over about the last minute.</summary>
    public double PerSecond { get; init; }

    /// <summary>
    /// The last error: why it stopped, or why a change was rejected or parked; null if there was none since the start.
    /// </summary>
    public string? LastError { get; init; }

    /// <summary>When a worker last acknowledged something; null before the first since the start.</summary>
    public DateTimeOffset? LastAcknowledged { get; init; }

    /// <summary>When a worker last connected; null before the first since the start.</summary>
    public DateTimeOffset? LastConnected { get; init; }

    /// <summary>Whether it gets all documents again, or waits for a worker to do so.</summary>
    public bool IsResyncing { get; init; }

    /// <summary>The position of the resync's snapshot; null if it waits for a worker or there is no resync.</summary>
    public long? ResyncThrough { get; init; }

    /// <summary>How far it lags by its policy, and why, when last measured.</summary>
    public LagVerdict Verdict { get; init; } = LagVerdict.Fine;

    /// <summary>Its backlog and the data retained for it; null before the first measurement.</summary>
    public ConsumerStatus? Consumer { get; init; }
}
