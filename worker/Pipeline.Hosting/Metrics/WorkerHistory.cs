using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Storage;

namespace Pipeline.Hosting.Metrics;

/// <summary>
/// The last hour of the worker's figures, one value every two seconds. Thread-safe.
/// </summary>
/// <remarks>
/// Names of figures: <c>changes</c>, <c>requests</c> and <c>messages</c> (per second), <c>syncP50</c> and
/// <c>syncP99</c> (seconds), <c>queryP50</c> and <c>queryP99</c> (seconds), <c>indexLag</c> (changes, of the index that
/// is furthest behind), <c>memory</c>, <c>dataFile</c> and <c>journal</c> (bytes), <c>processor</c> (cores in use),
/// <c>deadLetters</c>, and <c>task/NAME/messages</c> (per second) and <c>task/NAME/lag</c> (changes) of each task.
/// </remarks>
internal sealed class WorkerHistory : IAsyncDisposable
{
    private const int MaxSeries = 256;
    private const string Sync = "pipeline_storage_journal_duration_seconds";
    private const string Queries = "pipeline_server_query_duration_seconds";
    private const string Requests = "pipeline_server_requests_total";

    private readonly HistoryRing _ring = new(HistoryView.Samples, MaxSeries);
    private readonly DocumentDatabase _database;
    private readonly EtlHost _etl;
    private readonly MetricCollector _metrics;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _running;
    private readonly Dictionary<string, double> _before = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long[]> _counts = new(StringComparer.Ordinal);
    private long _sampled;

    /// <summary>Starts to sample.</summary>
    /// <param name="database">The worker's database.</param>
    /// <param name="etl">The worker's tasks.</param>
    /// <param name="metrics">The worker's metrics.</param>
    /// <param name="time">The clock.</param>
    public WorkerHistory(DocumentDatabase database, EtlHost etl, MetricCollector metrics, TimeProvider time)
    {
        (_database, _etl, _metrics, _time) = (database, etl, metrics, time);
        _sampled = time.GetTimestamp();
        Sample(TimeSpan.Zero);
        _running = RunAsync();
    }

    /// <summary>The values, oldest first.</summary>
    /// <param name="span">How far to look back.</param>
    /// <param name="points">How many points of each figure at most.</param>
    public HistoryView Read(TimeSpan span, int points) =>
        HistoryView.Read(
            _ring,
            span,
            points,
            static name =>
                name is "syncP99" or "queryP99" or "indexLag" || name.EndsWith("/lag", StringComparison.Ordinal)
        );

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        using var timer = new PeriodicTimer(HistoryView.Interval, _time);
        while (await timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false))
        {
            var now = _time.GetTimestamp();
            try
            {
                Sample(_time.GetElapsedTime(_sampled, now));
            }
            catch (StorageException)
            {
                // A storage that failed has no figures: this is a gap, and the health says why.
                _ring.Add(_time.GetUtcNow(), new Dictionary<string, double>());
            }

            _sampled = now;
        }
    }

    private void Sample(TimeSpan passed)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        var tasks = _etl.GetStatus();
        Rate("changes", _database.LastPosition);
        Rate("messages", tasks.Sum(t => t.MessagesSent));
        Rate("requests", _metrics.Read(Requests).Sum(p => p.Value));
        Rate("processor", Environment.CpuUsage.TotalTime.TotalSeconds);
        foreach (var task in tasks)
        {
            Rate($"task/{task.Name}/messages", task.MessagesSent);
            values[$"task/{task.Name}/lag"] = task.Lag;
        }

        AddPercentiles(Sync, "sync");
        AddPercentiles(Queries, "query");
        // The first totals are only what later ones are compared with: a start reads no dead letters.
        if (passed <= TimeSpan.Zero)
            return;
        var storage = _database.Storage.GetStatistics();
        values["indexLag"] = _database.Indexes.List().Select(i => i.Lag).DefaultIfEmpty().Max();
        values["memory"] = Environment.WorkingSet;
        values["dataFile"] = storage.DataFileBytes;
        values["journal"] = storage.UnflushedJournalBytes;
        values["deadLetters"] = _etl.CountDeadLetters().Values.Sum();
        _ring.Add(_time.GetUtcNow(), values);

        void Rate(string name, double total)
        {
            // Totals of a task that was replaced begin at 0 again.
            if (passed > TimeSpan.Zero && _before.TryGetValue(name, out var last))
                values[name] = Math.Max(0, total - last) / passed.TotalSeconds;
            _before[name] = total;
        }

        void AddPercentiles(string metric, string name)
        {
            var points = _metrics.Read(metric);
            if (points.Count == 0)
                return;
            var bounds = points[0].Bounds;
            var counts = new long[bounds.Length + 1];
            foreach (var point in points)
            {
                for (var i = 0; i < counts.Length && i < point.BucketCounts.Length; i++)
                    counts[i] += point.BucketCounts[i];
            }

            var before = _counts.GetValueOrDefault(metric, []);
            var added = before.Length == counts.Length ? [.. counts.Zip(before, (now, then) => now - then)] : counts;
            _counts[metric] = counts;
            if (Percentile(bounds, added, 0.5) is { } p50 && Percentile(bounds, added, 0.99) is { } p99)
                (values[name + "P50"], values[name + "P99"]) = (p50, p99);
        }
    }

    /// <summary>
    /// The value below which a share of a histogram's values lies, between the bounds of its bucket;
    /// <see langword="null"/> if there are no values.
    /// </summary>
    internal static double? Percentile(double[] bounds, long[] counts, double share)
    {
        var left = counts.Sum() * share;
        if (left <= 0)
            return null;
        for (var i = 0; i < bounds.Length; i++)
        {
            var below = i == 0 ? 0 : bounds[i - 1];
            if (counts[i] >= left)
                return below + ((bounds[i] - below) * left / counts[i]);
            left -= counts[i];
        }

        return bounds[^1];
    }
}
