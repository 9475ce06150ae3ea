using System.Diagnostics.Metrics;

namespace Pipeline.Storage;

/// <summary>The gauges of the meter <c>Pipeline.Storage</c>, read from the open stores.</summary>
internal static class StorageGauges
{
    private static readonly System.Collections.Concurrent.ConcurrentDictionary<StorageEnvironment, bool> Open = new();

    static StorageGauges()
    {
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.readers",
            () => Observe(static s => s.OpenReaders),
            "{reader}",
            "Open read transactions."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.reader.age",
            () => Observe(static s => s.OldestReaderAge?.TotalSeconds ?? 0),
            "s",
            "Age of the oldest open read transaction."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.reader.held",
            () => Observe(static s => s.Readers.Count == 0 ? 0 : s.Readers[0].HeldBytes),
            "By",
            "Bytes of page versions that the oldest read transaction holds back."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.scratch",
            () => Observe(static s => s.ScratchBytes),
            "By",
            "Bytes of page versions in memory."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.journal.unflushed",
            () => Observe(static s => s.UnflushedJournalBytes),
            "By",
            "Journal bytes that recovery would read now."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.data.size",
            () => Observe(static s => s.DataFileBytes),
            "By",
            "Bytes of the data file."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.data.allocated",
            () => Observe(static s => s.DataFileAllocatedBytes),
            "By",
            "Bytes of the device that the data file takes."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.data.free",
            () => Observe(static s => s.FreePages * PageLayout.PageSize),
            "By",
            "Bytes of free pages in the data file."
        );
        StorageMetrics.Meter.CreateObservableCounter(
            "pipeline.storage.data.punched",
            () => Observe(static s => s.PunchedBytes),
            "By",
            "Bytes of free pages that were given back to the file system since the opening."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.disk.free",
            ObserveDisks,
            "By",
            "Bytes that the file system of the data or of the journal, by pipeline.storage.part, still has."
        );
        StorageMetrics.Meter.CreateObservableGauge(
            "pipeline.storage.pages.damaged",
            () => Observe(static s => s.Scrub?.DamagedPages ?? 0),
            "{page}",
            "Damaged pages that scrubs have found."
        );
    }

    /// <summary>Begins to observe a store.</summary>
    public static void Register(StorageEnvironment environment) => Open.TryAdd(environment, true);

    /// <summary>Ends it.</summary>
    public static void Unregister(StorageEnvironment environment) => Open.TryRemove(environment, out _);

    private static List<Measurement<T>> Observe<T>(Func<StorageStatistics, T> value)
        where T : struct =>
        Observe<T>(
            (environment, found) =>
                found.Add(new Measurement<T>(value(environment.GetStatistics()), StoreOf(environment)))
        );

    private static List<Measurement<long>> ObserveDisks() =>
        Observe<long>(
            static (environment, found) =>
            {
                foreach (var disk in environment.GetDiskSpace())
                {
                    found.Add(
                        new Measurement<long>(
                            disk.FreeBytes,
                            StoreOf(environment),
                            new KeyValuePair<string, object?>("pipeline.storage.part", disk.Part)
                        )
                    );
                }
            }
        );

    private static KeyValuePair<string, object?> StoreOf(StorageEnvironment environment) =>
        new("pipeline.store", environment.Context.Name);

    private static List<Measurement<T>> Observe<T>(Action<StorageEnvironment, List<Measurement<T>>> observe)
        where T : struct
    {
        var found = new List<Measurement<T>>();
        foreach (var environment in Open.Keys)
        {
            try
            {
                observe(environment, found);
            }
            catch (ObjectDisposedException)
            {
                // It was closed in the meantime.
            }
        }
        return found;
    }
}
