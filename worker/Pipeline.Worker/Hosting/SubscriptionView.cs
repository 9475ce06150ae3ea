using Pipeline.Subscriptions;

namespace Pipeline.Worker.Hosting;

/// <summary>A subscription as <c>/databases/NAME/subscriptions</c> shows it and <c>pipeline subscriptions</c> prints it.</summary>
internal sealed record SubscriptionView(
    string Name, string? Query, IReadOnlyList<string>? Collections, string State, long Position, long Lag, double LagSeconds, int Waiting, int InFlight, int Retrying, long Parked, long Acknowledged,
    int HeldKeys, string? Error, IReadOnlyList<WorkerStatus> Workers)
{
    /// <summary>It at this moment.</summary>
    public static SubscriptionView Of(SubscriptionStatus status) => new(
        status.Name, status.Definition.Query, status.Definition.Collections, status.Error is not null ? "failed" : status.Definition.IsPaused ? "paused" : status.Workers.Count > 0 ? "connected" : "waiting",
        status.Position, status.Lag, status.LagSeconds, status.Waiting, status.InFlight, status.Retrying, status.Parked, status.Acknowledged, status.HeldKeys, status.Error, status.Workers);
}
