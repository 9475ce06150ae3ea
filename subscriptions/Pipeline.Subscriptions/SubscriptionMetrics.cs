using System.Diagnostics.Metrics;

namespace Pipeline.Subscriptions;

/// <summary>
/// The meter <c>Pipeline.Subscriptions</c>. Every measurement has the tags <c>pipeline.database</c> and
/// <c>pipeline.subscription</c>.
/// </summary>
internal static class SubscriptionMetrics
{
    private static readonly Meter Meter = new("Pipeline.Subscriptions");
    private static readonly System.Collections.Concurrent.ConcurrentDictionary<SubscriptionHost, string> Open = new();

    static SubscriptionMetrics()
    {
        Meter.CreateObservableGauge(
            "pipeline.subscription.lag.changes",
            () => Observe(static s => s.Lag),
            "{change}",
            "Positions between the acknowledged one and the database's last position."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.lag.age",
            () => Observe(static s => s.LagSeconds),
            "s",
            "Age of the oldest change that is not acknowledged."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.inflight",
            () => Observe(static s => s.InFlight),
            "{change}",
            "Changes delivered to workers and not yet acknowledged."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.retrying",
            () => Observe(static s => s.Retrying),
            "{change}",
            "Changes that wait for another attempt."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.workers",
            () => Observe(static s => s.Workers.Count),
            "{worker}",
            "Connected workers."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.rate",
            () => Observe(static s => s.PerSecond),
            "{change}/s",
            "Changes acknowledged per second, over about the last minute."
        );
        Meter.CreateObservableGauge(
            "pipeline.subscription.resyncing",
            () => Observe(static s => s.IsResyncing ? 1 : 0),
            "{subscription}",
            "1 while all documents are delivered again, or wait for a worker."
        );
        Meter.CreateObservableCounter(
            "pipeline.subscription.parked",
            () => Observe(static s => s.Parked),
            "{change}",
            "Changes parked as dead letters since the start."
        );
        Meter.CreateObservableCounter(
            "pipeline.subscription.acknowledged",
            () => Observe(static s => s.Acknowledged),
            "{change}",
            "Changes acknowledged since the start."
        );
    }

    public static void Register(SubscriptionHost host, string database) => Open.TryAdd(host, database);

    public static void Unregister(SubscriptionHost host) => Open.TryRemove(host, out _);

    private static IEnumerable<Measurement<T>> Observe<T>(Func<SubscriptionStatus, T> value)
        where T : struct
    {
        foreach ((var host, var database) in Open)
        {
            foreach (var status in host.Look())
            {
                yield return new Measurement<T>(
                    value(status),
                    new KeyValuePair<string, object?>("pipeline.database", database),
                    new KeyValuePair<string, object?>("pipeline.subscription", status.Name)
                );
            }
        }
    }
}
