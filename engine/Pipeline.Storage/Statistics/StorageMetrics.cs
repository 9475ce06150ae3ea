using System.Diagnostics.Metrics;

namespace Pipeline.Storage;

/// <summary>
/// The meter <c>Pipeline.Storage</c>. Every measurement has the store's folder as <c>pipeline.store</c>.
/// </summary>
internal static class StorageMetrics
{
    internal static readonly Meter Meter = new("Pipeline.Storage");

    private static readonly Counter<long> Transactions = Meter.CreateCounter<long>(
        "pipeline.storage.transactions",
        "{transaction}",
        "Durable transactions."
    );
    private static readonly Counter<long> Operations = Meter.CreateCounter<long>(
        "pipeline.storage.operations",
        "{operation}",
        "Durable operations; several may share a transaction."
    );
    private static readonly Counter<long> JournalBytes = Meter.CreateCounter<long>(
        "pipeline.storage.journal.io",
        "By",
        "Bytes written to the journal."
    );
    private static readonly Histogram<double> JournalDuration = Meter.CreateHistogram<double>(
        "pipeline.storage.journal.duration",
        "s",
        "Time to write and sync one journal entry."
    );
    private static readonly Counter<long> FlushBytes = Meter.CreateCounter<long>(
        "pipeline.storage.flush.io",
        "By",
        "Bytes written to the data file."
    );
    private static readonly Histogram<double> FlushDuration = Meter.CreateHistogram<double>(
        "pipeline.storage.flush.duration",
        "s",
        "Time of one checkpoint: pages, sync, meta page, sync."
    );

    private static readonly Histogram<double> IoDuration = Meter.CreateHistogram<double>(
        "pipeline.storage.io.duration",
        "s",
        "Time of one write, sync or flush, by pipeline.storage.io.kind."
    );
    private static readonly Histogram<long> IoSize = Meter.CreateHistogram<long>(
        "pipeline.storage.io.size",
        "By",
        "Bytes of one write, sync or flush, by pipeline.storage.io.kind."
    );
    private static readonly string[] Kinds =
    [
        "journal_write",
        "journal_sync",
        "journal_prepare",
        "data_write",
        "data_sync",
        "flush",
        "punch_hole",
    ];
    private static readonly Counter<long> ScrubBytes = Meter.CreateCounter<long>(
        "pipeline.storage.scrub.io",
        "By",
        "Bytes of the data file verified by scrubs."
    );
    private static readonly Counter<long> RepairedPages = Meter.CreateCounter<long>(
        "pipeline.storage.repaired_pages",
        "{page}",
        "Damaged pages repaired from an equal store."
    );
    private static readonly Counter<long> Refusals = Meter.CreateCounter<long>(
        "pipeline.storage.refusals",
        "{operation}",
        "Writes refused because the disk was full."
    );

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
    public static void Scrubbed(string store, long bytes) =>
        ScrubBytes.Add(bytes, new KeyValuePair<string, object?>("pipeline.store", store));

    /// <summary>A damaged page was repaired.</summary>
    public static void Repaired(string store) =>
        RepairedPages.Add(1, new KeyValuePair<string, object?>("pipeline.store", store));

    /// <summary>A write was refused because there was no room.</summary>
    public static void Refused(string store) =>
        Refusals.Add(1, new KeyValuePair<string, object?>("pipeline.store", store));

    /// <summary>A checkpoint was made.</summary>
    public static void Flushed(string store, long bytes, TimeSpan duration)
    {
        var tag = new KeyValuePair<string, object?>("pipeline.store", store);
        FlushBytes.Add(bytes, tag);
        FlushDuration.Record(duration.TotalSeconds, tag);
    }
}
