using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S1 and S2: one durable transaction after the other.</summary>
internal static class LoadWorkloads
{
    public static void S1(string folder, int count)
    {
        var items = new Items(0, count, hashed: false);
        Load("S1", folder, items, 1000);
        Verify(folder, items);
    }

    public static void S2(string folder, int count)
    {
        var items = new Items(0, count, hashed: true);
        Load("S2", folder, items, 100);
        Verify(folder, items);
        Directory.Delete(folder, recursive: true);
    }

    private static void Load(string workload, string folder, Items items, int batch)
    {
        Folders.Wipe(folder);
        var environment = StorageBenchmarks.Open(folder);
        try
        {
            var clock = new Clock();
            for (var from = 0; from < items.Count; from += batch)
            {
                var first = from;
                environment.WriteAsync(transaction =>
                {
                    var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                    var end = Math.Min(first + batch, items.Count);
                    for (var i = first; i < end; i++)
                        tree.Put(items.Key(i), items.Value(i));
                }).GetAwaiter().GetResult();
            }

            var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
            Report.Figure(workload, "pipeline", "items", items.Count / seconds, "1/s");
            Report.Figure(workload, "pipeline", "wall", seconds, "s");
            Report.Figure(workload, "pipeline", "cpu", cpu, "s");
        }
        finally
        {
            var closing = new Clock();
            environment.Dispose();
            Report.Figure(workload, "pipeline", "settle+close", closing.Seconds, "s");
        }

        Report.Figure(workload, "pipeline", "disk", Folders.AllocatedBytes(folder) / 1e6, "MB");
    }

    internal static void Verify(string folder, Items items)
    {
        using var environment = StorageBenchmarks.Open(folder);
        using var transaction = environment.BeginRead();
        var tree = transaction.OpenTree(StorageBenchmarks.TreeName);
        var random = new Xorshift(7);
        for (var n = 0; n < 10_000; n++)
        {
            var i = (int)(random.Next() % (ulong)items.Count);
            if (!tree.TryGet(items.Key(i), out var value) || !value.SequenceEqual(items.Value(i)))
                throw new BenchmarkException($"item {i} is not as it was written");
        }

        var (count, _) = FullScan.Scan(tree);
        if (count != items.Count)
            throw new BenchmarkException($"{count} items were found, {items.Count} were written");
    }
}
