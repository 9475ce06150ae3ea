using System.Diagnostics;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S3: 16 threads, each waiting for its own durable single write.</summary>
internal static class ConcurrentWrites
{
    private const int Threads = 16;
    private const int Each = 1250;

    public static void Run(string folder)
    {
        // The peers are compiled ahead of time. The first hundred commits of a .NET process wait for its compiler, which would be all of p99.
        Report.Remark($"S3 pipeline: {Threads * Each} commits to another store before the clock starts, so that the code is compiled");
        Load(folder, new Items(6_000_000, Threads * Each, hashed: true));
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

    private static (double[] Latencies, double Seconds, double CpuSeconds, long Transactions) Load(string folder, Items items)
    {
        Folders.Wipe(folder);
        var latencies = new double[Threads * Each];
        using var environment = StorageBenchmarks.Open(folder);
        var before = environment.GetStatistics().Transactions;
        var clock = new Clock();
        var threads = Enumerable.Range(0, Threads).Select(t => new Thread(() =>
        {
            for (var i = t * Each; i < (t + 1) * Each; i++)
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
        })).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        return (latencies, clock.Seconds, clock.CpuSeconds, environment.GetStatistics().Transactions - before);
    }
}
