using System.Globalization;
using System.Text;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// What a task adds to the process's memory while it works off a backlog of large documents: bounded by its batches,
/// whatever the backlog.
/// </summary>
internal static class EtlMemory
{
    private const int DocumentBytes = 900_000;

    // A task holds three batches of 16 MiB, each as documents and as messages; the client has one of them twice more,
    // and the collector its slack.
    private const double BoundMiB = 256;

    /// <summary>Gives the most anonymous memory in MiB above that before the task began.</summary>
    public static async Task RunAsync(string peer, string target, string destination, int documents, bool timed)
    {
        await using var bench = new TaskBench(target, destination);
        var database = bench.Database;
        await using (var bulk = database.BeginBulkInsert())
        {
            var body = Encoding.UTF8.GetBytes(
                $$"""{"@metadata":{"@collection":"Documents"},"Text":"{{new string('x', DocumentBytes)}}"}"""
            );
            for (var i = 0; i < documents; i++)
                await bulk.StoreAsync($"large/{i}", body);
            await bulk.CompleteAsync();
        }

        GC.Collect();
        var before = Anonymous();
        var most = before;
        using var sampling = new Timer(_ => most = Math.Max(most, Anonymous()), null, 0, 20);
        var clock = new Clock();
        await using var host = new EtlHost(bench.Plan, new DatabaseChangeFeed(database));
        host.Start();
        if (!await host.DrainAsync(database.LastPosition, CancellationToken.None))
            throw new BenchmarkException("the task failed");
        var seconds = clock.Seconds;
        if (host.GetStatus().Single() is { } status && status.MessagesSent != documents)
            throw new BenchmarkException($"{status.MessagesSent} messages of {documents}");
        if ((most - before) / 1024.0 > BoundMiB)
        {
            throw new BenchmarkException(
                $"{peer} with {documents} documents took {(most - before) / 1024.0:F0} MiB, over the bound of {BoundMiB} MiB"
            );
        }

        if (!timed)
            return;
        var metric = string.Create(CultureInfo.InvariantCulture, $"{documents}x{DocumentBytes / 1000}kB");
        Report.Figure("ETL-memory", peer, metric + "-peak", (most - before) / 1024.0, "MiB");
        Report.Figure("ETL-memory", peer, metric + "-of-bound", (most - before) / 1024.0 / BoundMiB, "ratio");
        Report.Figure("ETL-memory", peer, metric + "-rate", documents * (DocumentBytes / 1e6) / seconds, "MB/s");
    }

    /// <summary>
    /// The memory of the process that no file backs, in KiB. The data file does not count: it is mapped, and the system
    /// loads and evicts its pages as it likes.
    /// </summary>
    private static long Anonymous() =>
        long.Parse(
            File.ReadLines("/proc/self/status")
                .First(l => l.StartsWith("RssAnon:", StringComparison.Ordinal))
                .Split(' ', StringSplitOptions.RemoveEmptyEntries)[1],
            CultureInfo.InvariantCulture
        );
}
