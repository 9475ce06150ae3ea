using System.Diagnostics;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S3: 16 threads, each waiting for its own durable single write.</summary>
internal static class ConcurrentWrites
{
    private const int Threads = 16;
    private const int Each = 1250;
    private const int Few = 50;

    public static void Run(string folder)
    {
        var (few, warm) = (
            new Items(6_000_000, Threads * Few, hashed: true),
            new Items(6_000_000, Threads * Each, hashed: true)
        );
        // What opens a store counts as often called only after this many.
        for (var i = 0; i < 40; i++)
            Load(folder, few);
        var rounds = WarmUp.Run(() => Load(folder, warm));
        Report.Remark(
            $"S3 pipeline: {rounds} times {Threads * Each} commits to another store before the clock starts, until all of the code was compiled"
        );
        var items = new Items(3_000_000, Threads * Each, hashed: true);
        var (latencies, seconds, cpu, transactions) = Load(folder, items);
        Array.Sort(latencies);
        Report.Figure("S3", "pipeline", "commits", latencies.Length / seconds, "1/s");
        Report.Figure("S3", "pipeline", "p50", Report.Percentile(latencies, 0.5), "us");
        Report.Figure("S3", "pipeline", "p99", Report.Percentile(latencies, 0.99), "us");
        Report.Figure("S3", "pipeline", "max", latencies[^1], "us");
        Report.Figure("S3", "pipeline", "cpu", cpu, "s");
        Report.Figure("S3", "pipeline", "items-a-transaction", (double)latencies.Length / transactions, "n");
        LoadWorkloads.Verify(folder, items);
        Directory.Delete(folder, recursive: true);
    }

    private static (double[] Latencies, double Seconds, double CpuSeconds, long Transactions) Load(
        string folder,
        Items items
    )
    {
        Folders.Wipe(folder);
        var each = items.Count / Threads;
        var latencies = new double[items.Count];
        using var environment = StorageBenchmarks.Open(folder);
        var before = environment.GetStatistics().Transactions;
        var clock = new Clock();
        var threads = Enumerable
            .Range(0, Threads)
            .Select(t => new Thread(() =>
            {
                for (var i = t * each; i < (t + 1) * each; i++)
                {
                    var item = i;
                    var start = Stopwatch.GetTimestamp();
                    environment.Write(transaction =>
                    {
                        transaction.CreateTree(StorageBenchmarks.TreeName).Put(items.Key(item), items.Value(item));
                        return true;
                    });
                    latencies[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
                }
            }))
            .ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        return (latencies, clock.Seconds, clock.CpuSeconds, environment.GetStatistics().Transactions - before);
    }
}
