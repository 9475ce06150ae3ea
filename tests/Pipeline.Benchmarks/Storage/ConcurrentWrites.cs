using System.Diagnostics;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S3: 16 threads, each waiting for its own durable single write.</summary>
internal static class ConcurrentWrites
{
    private const int Threads = 16;
    private const int Each = 1250;

    public static void Run(string folder)
    {
        var items = new Items(3_000_000, Threads * Each, hashed: true);
        Folders.Wipe(folder);
        var latencies = new double[Threads * Each];
        using (var environment = StorageBenchmarks.Open(folder))
        {
            var before = environment.GetStatistics().Transactions;
            var clock = new Clock();
            var threads = Enumerable.Range(0, Threads).Select(t => new Thread(() =>
            {
                for (var i = t * Each; i < (t + 1) * Each; i++)
                {
                    var item = i;
                    var start = Stopwatch.GetTimestamp();
                    environment.WriteAsync(transaction => transaction.CreateTree(StorageBenchmarks.TreeName).Put(items.Key(item), items.Value(item)))
                        .GetAwaiter().GetResult();
                    latencies[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
                }
            })).ToArray();
            foreach (var thread in threads)
                thread.Start();
            foreach (var thread in threads)
                thread.Join();
            var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
            Array.Sort(latencies);
            Report.Figure("S3", "pipeline", "commits", latencies.Length / seconds, "1/s");
            Report.Figure("S3", "pipeline", "p50", Report.Percentile(latencies, 0.5), "us");
            Report.Figure("S3", "pipeline", "p99", Report.Percentile(latencies, 0.99), "us");
            Report.Figure("S3", "pipeline", "max", latencies[^1], "us");
            Report.Figure("S3", "pipeline", "cpu", cpu, "s");
            Report.Figure("S3", "pipeline", "items-a-transaction", (double)latencies.Length / (environment.GetStatistics().Transactions - before), "n");
        }

        LoadWorkloads.Verify(folder, items);
        Directory.Delete(folder, recursive: true);
    }
}
