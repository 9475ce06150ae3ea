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

    /// <summary>A transaction became durable.</summary>
    public static void Committed(string store, int operations, long journalBytes, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        Transactions.Add(1, tag);
        Operations.Add(operations, tag);
        JournalBytes.Add(journalBytes, tag);
        JournalDuration.Record(duration.TotalSeconds, tag);
    }

    /// <summary>A checkpoint was made.</summary>
    public static void Flushed(string store, long bytes, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        FlushBytes.Add(bytes, tag);
        FlushDuration.Record(duration.TotalSeconds, tag);
    }
}
