using System.Diagnostics.Metrics;

namespace Pipeline.Documents.Events;

/// <summary>
/// Measures operations on events, in the meter <c>Pipeline.Database</c>; every measurement has
/// <c>pipeline.database</c>.
/// </summary>
internal static class EventMetrics
{
    private static readonly Meter Meter = new("Pipeline.Database");
    private static readonly Counter<long> AppendedEvents = Meter.CreateCounter<long>(
        "pipeline.events.appended",
        "{event}",
        "Appended events."
    );
    private static readonly Counter<long> ReadEvents = Meter.CreateCounter<long>(
        "pipeline.events.read",
        "{event}",
        "Events read by replays and queries."
    );
    private static readonly Counter<long> Conflicts = Meter.CreateCounter<long>(
        "pipeline.events.conflicts",
        "{conflict}",
        "Appends refused because another writer was faster."
    );
    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>(
        "pipeline.events.append.duration",
        "s",
        "Time from the call of an append to its durability."
    );

    internal static void Appended(string database, int count, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.database", database);
        AppendedEvents.Add(count, tag);
        Duration.Record(duration.TotalSeconds, tag);
    }

    internal static void Conflicted(string database) =>
        Conflicts.Add(1, new KeyValuePair<string, object?>("pipeline.database", database));

    internal static void Read(string database, int count)
    {
        if (count > 0)
            ReadEvents.Add(count, new KeyValuePair<string, object?>("pipeline.database", database));
    }
}
