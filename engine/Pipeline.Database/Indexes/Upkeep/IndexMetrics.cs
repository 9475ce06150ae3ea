using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Metrics of indexing, in the meter <c>Pipeline.Database</c>. Every measurement has the database and the index as
/// tags.
/// </summary>
internal static class IndexMetrics
{
    private static readonly Meter Meter = new("Pipeline.Database");
    private static readonly Counter<long> Documents = Meter.CreateCounter<long>(
        "pipeline.index.documents",
        "{document}",
        "Documents mapped."
    );
    private static readonly Counter<long> Entries = Meter.CreateCounter<long>(
        "pipeline.index.entries",
        "{entry}",
        "Entries made."
    );
    private static readonly Counter<long> Errors = Meter.CreateCounter<long>(
        "pipeline.index.errors",
        "{error}",
        "Documents and groups that failed."
    );
    private static readonly Counter<long> Bytes = Meter.CreateCounter<long>(
        "pipeline.index.io",
        "By",
        "Bytes of documents mapped."
    );
    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>(
        "pipeline.index.batch.duration",
        "s",
        "Time of a batch, by pipeline.index.step: map, reduce, commit, throttled."
    );

    private static readonly Counter<long> Batches = Meter.CreateCounter<long>(
        "pipeline.index.batches",
        "{batch}",
        "Completed batches."
    );
    private static readonly ConcurrentDictionary<IIndexOwner, bool> Open = new();

    static IndexMetrics()
    {
        Meter.CreateObservableGauge(
            "pipeline.index.lag",
            () => Observe(static l => (double)l.Changes),
            "{change}",
            "Positions by which an index lags behind its database."
        );
        Meter.CreateObservableGauge(
            "pipeline.index.lag.time",
            () => Observe(static l => l.Time.TotalSeconds),
            "s",
            "Age of the oldest change that an index has not processed."
        );
    }

    /// <summary>Begins to observe the indexes of a database.</summary>
    public static void Register(IIndexOwner indexes) => Open.TryAdd(indexes, true);

    /// <summary>Ends it.</summary>
    public static void Unregister(IIndexOwner indexes) => Open.TryRemove(indexes, out _);

    public static void Batch(string database, string index, IndexBatchStatistics batch)
    {
        var first = new KeyValuePair<string, object?>("pipeline.database", database);
        var second = new KeyValuePair<string, object?>("pipeline.index", index);
        Batches.Add(1, first, second);
        Documents.Add(batch.Documents, first, second);
        Entries.Add(batch.Entries, first, second);
        Errors.Add(batch.Errors, first, second);
        Bytes.Add(batch.DocumentBytes, first, second);
        if (!Duration.Enabled)
            return;
        Step("map", batch.MapTime);
        Step("reduce", batch.ReduceTime);
        Step("commit", batch.CommitTime);
        Step("throttled", batch.ThrottledTime);

        void Step(string name, TimeSpan time) =>
            Duration.Record(
                time.TotalSeconds,
                first,
                second,
                new KeyValuePair<string, object?>("pipeline.index.step", name)
            );
    }

    private static List<Measurement<double>> Observe(Func<(string Index, long Changes, TimeSpan Time), double> value)
    {
        var measured = new List<Measurement<double>>();
        foreach (var indexes in Open.Keys)
        {
            try
            {
                measured.AddRange(
                    indexes
                        .Lags()
                        .Select(l => new Measurement<double>(
                            value(l),
                            new KeyValuePair<string, object?>("pipeline.database", indexes.DatabaseName),
                            new KeyValuePair<string, object?>("pipeline.index", l.Index)
                        ))
                );
            }
            catch (ObjectDisposedException)
            {
                // The database is closing and has no lag any more.
                Unregister(indexes);
            }
        }

        return measured;
    }
}
