using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Documents;

/// <summary>
/// Backlogs and retained data per consumer, in the meter <c>Pipeline.Database</c>. Every measurement has
/// <c>pipeline.database</c> and <c>pipeline.consumer</c>.
/// </summary>
internal static class ConsumerMetrics
{
    private static readonly Meter Meter = new("Pipeline.Database");
    private static readonly ConcurrentDictionary<DocumentStorage, bool> Open = new();

    static ConsumerMetrics()
    {
        Meter.CreateObservableGauge(
            "pipeline.consumer.pending.changes",
            () => Observe(static s => s.Pending.Changes),
            "{change}",
            "Changes that the consumer has not processed."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.pending.size",
            () => Observe(static s => s.Pending.Bytes),
            "By",
            "Bytes of the changes that the consumer has not processed."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.pending.age",
            () => Observe(static s => s.AgeSeconds),
            "s",
            "Age of the oldest change that the consumer has not processed."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.tombstones",
            () => Observe(static s => s.HeldTombstones),
            "{tombstone}",
            "Tombstones kept because the consumer has not passed them."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.size",
            () => Observe(static s => s.HeldBytes),
            "By",
            "Bytes kept only for the consumer: tombstones, versions, and page versions and journal of its snapshots."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.versions",
            () => Observe(static s => s.HeldVersions),
            "{version}",
            "Former versions of documents that the policy would remove, kept because the consumer has not passed them."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.journal",
            () => Observe(static s => s.HeldJournalBytes),
            "By",
            "Bytes of journal kept for the consumer's open snapshots."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.age",
            () => Observe(static s => s.HeldAgeSeconds),
            "s",
            "Age of the oldest item kept for the consumer."
        );
        Meter.CreateObservableGauge(
            "pipeline.consumer.held.snapshot",
            () => Observe(static s => s.HeldSnapshotBytes),
            "By",
            "Bytes of page versions and journal kept for the consumer's open snapshots."
        );
    }

    public static void Register(DocumentStorage database) => Open.TryAdd(database, true);

    public static void Unregister(DocumentStorage database) => Open.TryRemove(database, out _);

    private static IEnumerable<Measurement<T>> Observe<T>(Func<ConsumerStatus, T> value)
        where T : struct
    {
        foreach (var database in Open.Keys)
        {
            IReadOnlyList<ConsumerStatus> all;
            try
            {
                all = database.Consumers.GetStatus(TimeSpan.FromSeconds(1));
            }
            catch (ObjectDisposedException)
            {
                // It is being closed; its figures end here.
                continue;
            }

            foreach (var status in all)
            {
                yield return new Measurement<T>(
                    value(status),
                    new KeyValuePair<string, object?>("pipeline.database", database.Name),
                    new KeyValuePair<string, object?>("pipeline.consumer", status.Name)
                );
            }
        }
    }
}
