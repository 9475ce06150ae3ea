using System.Diagnostics;
using System.Diagnostics.Metrics;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// Meter and activity source <c>Pipeline.Akka.Persistence</c>; every measurement has the tag <c>pipeline.plugin</c>.
/// </summary>
internal static class PersistenceTelemetry
{
    private static readonly ActivitySource Source = new("Pipeline.Akka.Persistence");
    private static readonly Meter Meter = new("Pipeline.Akka.Persistence");
    private static readonly Counter<long> WrittenEvents = Meter.CreateCounter<long>(
        "pipeline.akka.written",
        "{event}",
        "Persisted events."
    );
    private static readonly Counter<long> ReplayedEvents = Meter.CreateCounter<long>(
        "pipeline.akka.replayed",
        "{event}",
        "Events replayed to recovering actors."
    );
    private static readonly Counter<long> Failures = Meter.CreateCounter<long>(
        "pipeline.akka.failures",
        "{failure}",
        "Failed writes."
    );
    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>(
        "pipeline.akka.write.duration",
        "s",
        "Time from the call of the journal to durability."
    );

    internal static Activity? Start(string name, string plugin, string persistenceId) =>
        Source.StartActivity(name)?.SetTag("pipeline.plugin", plugin).SetTag("pipeline.persistence_id", persistenceId);

    internal static void Written(
        string plugin,
        List<(string StreamId, List<EventData> Events)> appends,
        TimeSpan duration
    )
    {
        var tag = new KeyValuePair<string, object?>("pipeline.plugin", plugin);
        foreach ((_, var events) in appends)
            WrittenEvents.Add(events.Count, tag);
        Duration.Record(duration.TotalSeconds, tag);
    }

    internal static void Replayed(string plugin, long count) =>
        ReplayedEvents.Add(count, new KeyValuePair<string, object?>("pipeline.plugin", plugin));

    internal static void Failed(string plugin) =>
        Failures.Add(1, new KeyValuePair<string, object?>("pipeline.plugin", plugin));
}
