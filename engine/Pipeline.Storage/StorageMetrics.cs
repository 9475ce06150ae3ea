using System.Diagnostics.Metrics;

namespace Pipeline.Storage;

/// <summary>The meter <c>Pipeline.Storage</c>. Every measurement bears the store's folder as <c>pipeline.store</c>.</summary>
internal static class StorageMetrics
{
    private static readonly Meter Meter = new("Pipeline.Storage");

    private static readonly Counter<long> Transactions = Meter.CreateCounter<long>("pipeline.storage.transactions", "{transaction}", "Durable transactions.");
    private static readonly Counter<long> Operations = Meter.CreateCounter<long>("pipeline.storage.operations", "{operation}", "Durable operations; several may share a transaction.");
    private static readonly Counter<long> JournalBytes = Meter.CreateCounter<long>("pipeline.storage.journal.io", "By", "Bytes written to the journal.");
    private static readonly Histogram<double> JournalDuration = Meter.CreateHistogram<double>("pipeline.storage.journal.duration", "s", "Write and sync of one journal entry.");
    private static readonly Counter<long> FlushBytes = Meter.CreateCounter<long>("pipeline.storage.flush.io", "By", "Bytes written to the data file.");
    private static readonly Histogram<double> FlushDuration = Meter.CreateHistogram<double>("pipeline.storage.flush.duration", "s", "One checkpoint: pages, sync, meta page, sync.");

    private static readonly Histogram<double> IoDuration = Meter.CreateHistogram<double>("pipeline.storage.io.duration", "s", "One write, sync or flush, by pipeline.storage.io.kind.");
    private static readonly Histogram<long> IoSize = Meter.CreateHistogram<long>("pipeline.storage.io.size", "By", "Bytes of one write, sync or flush, by pipeline.storage.io.kind.");
    private static readonly string[] Kinds = ["journal_write", "journal_sync", "journal_prepare", "data_write", "data_sync", "flush", "punch_hole"];
    private static readonly Counter<long> ScrubBytes = Meter.CreateCounter<long>("pipeline.storage.scrub.io", "By", "Bytes of the data file verified by scrubs.");
    private static readonly Counter<long> Refusals = Meter.CreateCounter<long>("pipeline.storage.refusals", "{operation}", "Writes that were refused because there was no room on the disk.");
    private static readonly System.Collections.Concurrent.ConcurrentDictionary<StorageEnvironment, bool> Open = new();

    static StorageMetrics()
    {
        Meter.CreateObservableGauge("pipeline.storage.readers", () => Observe(static s => s.OpenReaders), "{reader}", "Open read transactions.");
        Meter.CreateObservableGauge("pipeline.storage.reader.age", () => Observe(static s => s.OldestReaderAge?.TotalSeconds ?? 0), "s", "Age of the oldest open read transaction.");
        Meter.CreateObservableGauge("pipeline.storage.reader.held", () => Observe(static s => s.Readers.Count == 0 ? 0 : s.Readers[0].HeldBytes), "By", "Bytes of page versions that the oldest read transaction holds back.");
        Meter.CreateObservableGauge("pipeline.storage.scratch", () => Observe(static s => s.ScratchBytes), "By", "Bytes of page versions in memory.");
        Meter.CreateObservableGauge("pipeline.storage.journal.unflushed", () => Observe(static s => s.UnflushedJournalBytes), "By", "Journal bytes that recovery would read now.");
        Meter.CreateObservableGauge("pipeline.storage.data.size", () => Observe(static s => s.DataFileBytes), "By", "Bytes of the data file.");
        Meter.CreateObservableGauge("pipeline.storage.data.allocated", () => Observe(static s => s.DataFileAllocatedBytes), "By", "Bytes of the device that the data file takes.");
        Meter.CreateObservableGauge("pipeline.storage.data.free", () => Observe(static s => s.FreePages * PageLayout.PageSize), "By", "Bytes of free pages in the data file.");
        Meter.CreateObservableCounter("pipeline.storage.data.punched", () => Observe(static s => s.PunchedBytes), "By", "Bytes of free pages that were given back to the file system since the opening.");
        Meter.CreateObservableGauge("pipeline.storage.disk.free", ObserveDisks, "By", "Bytes that the file system of the data or of the journal, by pipeline.storage.part, still has.");
        Meter.CreateObservableGauge("pipeline.storage.pages.damaged", () => Observe(static s => s.Scrub?.DamagedPages ?? 0), "{page}", "Damaged pages that scrubs have found.");
    }

    /// <summary>Begins to observe a store.</summary>
    public static void Register(StorageEnvironment environment) => Open.TryAdd(environment, true);

    /// <summary>Ends it.</summary>
    public static void Unregister(StorageEnvironment environment) => Open.TryRemove(environment, out _);

    /// <summary>Something was done to a file.</summary>
    public static void Io(string store, IoKind kind, long bytes, TimeSpan duration)
    {
        if (!IoDuration.Enabled && !IoSize.Enabled)
            return;
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        var of = new KeyValuePair<string, object?>("pipeline.storage.io.kind", Kinds[(int)kind]);
        IoDuration.Record(duration.TotalSeconds, tag, of);
        IoSize.Record(bytes, tag, of);
    }

    /// <summary>A transaction became durable.</summary>
    public static void Committed(string store, int operations, long journalBytes, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        Transactions.Add(1, tag);
        Operations.Add(operations, tag);
        JournalBytes.Add(journalBytes, tag);
        JournalDuration.Record(duration.TotalSeconds, tag);
    }

    /// <summary>A scrub has verified a part of the data file.</summary>
    public static void Scrubbed(string store, long bytes) => ScrubBytes.Add(bytes, new KeyValuePair<string, object?>("pipeline.store", store));

    /// <summary>A write was refused because there was no room.</summary>
    public static void Refused(string store) => Refusals.Add(1, new KeyValuePair<string, object?>("pipeline.store", store));

    /// <summary>A checkpoint was made.</summary>
    public static void Flushed(string store, long bytes, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        FlushBytes.Add(bytes, tag);
        FlushDuration.Record(duration.TotalSeconds, tag);
    }

    private static List<Measurement<T>> Observe<T>(Func<StorageStatistics, T> value)
        where T : struct =>
        Observe<T>((environment, found) => found.Add(new Measurement<T>(value(environment.GetStatistics()), StoreOf(environment))));

    private static List<Measurement<long>> ObserveDisks() => Observe<long>(static (environment, found) =>
    {
        foreach (var disk in environment.GetDiskSpace())
            found.Add(new Measurement<long>(disk.FreeBytes, StoreOf(environment), new KeyValuePair<string, object?>("pipeline.storage.part", disk.Part)));
    });

    private static KeyValuePair<string, object?> StoreOf(StorageEnvironment environment) => new("pipeline.store", environment.Context.Name);

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
