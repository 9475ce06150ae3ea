using Pipeline.Documents;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>A subscription as <c>/subscriptions</c> shows it and <c>pipeline subscriptions</c> prints it.</summary>
internal sealed record SubscriptionView(
    string Name,
    string? Query,
    IReadOnlyList<string>? Collections,
    string State,
    long Position,
    long Lag,
    double LagSeconds,
    int Waiting,
    int InFlight,
    int Retrying,
    long Parked,
    long Acknowledged,
    int HeldKeys,
    string? Error,
    IReadOnlyList<WorkerStatus> Workers
)
{
    /// <summary>Changes acknowledged per second, averaged over about the last minute.</summary>
    public double PerSecond { get; init; }

    /// <summary>The last error since the start.</summary>
    public string? LastError { get; init; }

    /// <summary>When a worker last acknowledged something.</summary>
    public DateTimeOffset? LastAcknowledged { get; init; }

    /// <summary>How far it lags by its policy.</summary>
    public string LagState { get; init; } = "";

    /// <summary>The findings near or over a limit.</summary>
    public string? LagReason { get; init; }

    /// <summary>Its lag policy.</summary>
    public LagPolicy? MaxLag { get; init; }

    /// <summary>Its backlog and the data retained for it.</summary>
    public ConsumerStatus? Consumer { get; init; }

    /// <summary>Creates the view of a subscription's current state.</summary>
    public static SubscriptionView Of(SubscriptionStatus status) =>
        new(
            status.Name,
            status.Definition.Query,
            status.Definition.Collections,
            status.Error is not null ? "failed"
                : status.Definition.IsPaused ? "paused"
                : status.IsResyncing
                    ? status.ResyncThrough is null ? "awaits resync"
                        : "resyncing"
                : status.Workers.Count > 0 ? "connected"
                : "waiting",
            status.Position,
            status.Lag,
            status.LagSeconds,
            status.Waiting,
            status.InFlight,
            status.Retrying,
            status.Parked,
            status.Acknowledged,
            status.HeldKeys,
            status.Error,
            status.Workers
        )
        {
            PerSecond = status.PerSecond,
            LastError = status.LastError,
            LastAcknowledged = status.LastAcknowledged,
            LagState = status.Verdict.State.ToString(),
            LagReason = status.Verdict.Reason,
            MaxLag = status.Definition.MaxLag,
            Consumer = status.Consumer,
        };
}
