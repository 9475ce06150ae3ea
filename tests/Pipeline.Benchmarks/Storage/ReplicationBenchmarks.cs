using System.Globalization;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>
/// What a follower's redo costs next to the leader's work, for the items of S1 and S2, and how many commits a second go
/// through a log that takes 1 ms and 3 ms, and how fast a node is filled from a peer. Arguments: `--items N` (default
/// 200,000), `--refill-mib N` (default 1,024; 0 for none), `--path FOLDER`, `--only-refill`.
/// </summary>
public static class ReplicationBenchmarks
{
    public static async Task<int> RunAsync(string[] arguments)
    {
        var folder = Path.Combine(Path.GetTempPath(), $"pipeline-replication-{Environment.ProcessId}");
        var (items, refill, onlyRefill) = (200_000, 1024, false);
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                folder = Path.Combine(arguments[++i], "pipeline-replication");
            }
            else if (
                arguments[i] == "--items"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out items)
                && items > 0
            )
            {
                i++;
            }
            else if (
                arguments[i] == "--refill-mib"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out refill)
                && refill >= 0
            )
            {
                i++;
            }
            else if (arguments[i] == "--only-refill")
            {
                onlyRefill = true;
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; --path FOLDER, --items N, --refill-mib N, --only-refill"
                );
            }
        }
        try
        {
            if (refill > 0)
                await RefillBenchmarks.RunAsync(folder, refill);
            if (onlyRefill)
                return 0;
            Redo("S1", folder, 20_000, batch: 1000, hashed: false, report: false); // So that the code is compiled.
            Redo("S1", folder, items, batch: 1000, hashed: false, report: true);
            Redo("S2", folder, items, batch: 100, hashed: true, report: true);
            foreach (var milliseconds in new[] { 1, 3 })
            {
                foreach (var writers in new[] { 1, 16, 64, 256 })
                    await CommitAsync(folder, milliseconds, writers);
            }
        }
        finally
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
        }
        return 0;
    }

    private static StorageEnvironment Open(string folder)
    {
        Folders.Wipe(folder);
        return StorageEnvironment.Open(new StorageOptions { Path = folder, IsReplica = true });
    }

    private static void Redo(string workload, string folder, int count, int batch, bool hashed, bool report)
    {
        var items = new Items(0, count, hashed);
        var entries = new List<byte[]>();
        using var leader = Open(Path.Combine(folder, "leader"));
        var clock = new Clock();
        using (new DelayedLog(leader, TimeSpan.Zero, entries))
        {
            for (var from = 0; from < count; from += batch)
            {
                var first = from;
                leader.Write(transaction =>
                {
                    var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                    for (var i = first; i < Math.Min(first + batch, count); i++)
                        tree.Put(items.Key(i), items.Value(i));
                    return true;
                });
            }
        }
        leader.Flush();
        var (leaderSeconds, leaderCpu) = (clock.Seconds, clock.CpuSeconds);

        using var follower = Open(Path.Combine(folder, "follower"));
        clock = new Clock();
        foreach (var entry in entries)
            follower.Apply(entry);
        follower.Flush();
        var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
        var bytes = entries.Sum(e => (long)e.Length);
        using var left = leader.BeginRead();
        using var right = follower.BeginRead();
        if (StoreEquality.FindDifference(left, right) is { } difference)
            throw new BenchmarkException($"{workload}: page {difference.Page} differs: {difference.Reason}");
        if (!report)
            return;
        var peer = "redo";
        Report.Figure(workload, peer, "log", bytes / 1e6, "MB");
        Report.Figure(workload, peer, "bytes-an-item", (double)bytes / count, "B");
        Report.Figure(workload, peer, "rate", bytes / 1e6 / seconds, "MB/s");
        Report.Figure(workload, peer, "cpu", cpu, "s");
        Report.Figure(workload, "leader", "rate", bytes / 1e6 / leaderSeconds, "MB/s");
        Report.Figure(workload, "leader", "cpu", leaderCpu, "s");
        Report.Figure(workload, peer, "times-cheaper", leaderCpu / cpu, "n");
    }

    private static async Task CommitAsync(string folder, int milliseconds, int writers)
    {
        var each = Math.Max(20, 4000 / milliseconds / Math.Max(4, writers / 4));
        var items = new Items(5_000_000, writers * each, hashed: true);
        using var leader = Open(Path.Combine(folder, "leader"));
        using var log = new DelayedLog(leader, TimeSpan.FromMilliseconds(milliseconds));
        var before = leader.GetStatistics().Transactions;
        var clock = new Clock();
        await Task.WhenAll(
            Enumerable
                .Range(0, writers)
                .Select(w =>
                    Task.Run(async () =>
                    {
                        for (var i = w * each; i < (w + 1) * each; i++)
                        {
                            var item = i;
                            await leader.WriteAsync(transaction =>
                                transaction
                                    .CreateTree(StorageBenchmarks.TreeName)
                                    .Put(items.Key(item), items.Value(item))
                            );
                        }
                    })
                )
        );
        var seconds = clock.Seconds;
        var transactions = leader.GetStatistics().Transactions - before;
        var workload = $"log-{milliseconds}ms";
        var peer = $"{writers}-writers";
        Report.Figure(workload, peer, "commits", items.Count / seconds, "1/s");
        Report.Figure(workload, peer, "mean-latency", seconds / each * 1e3, "ms");
        Report.Figure(workload, peer, "items-a-transaction", (double)items.Count / transactions, "n");
        Report.Figure(workload, peer, "bytes-an-item", (double)log.Bytes / items.Count, "B");
    }
}
