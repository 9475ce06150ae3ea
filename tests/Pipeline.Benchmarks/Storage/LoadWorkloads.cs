using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S1 and S2: one durable transaction after the other.</summary>
internal static class LoadWorkloads
{
    private const string DictionaryTree = "dictionaries";

    public static void S1(string folder, int count)
    {
        var items = new Items(0, count, hashed: false);
        Load("S1", "pipeline", folder, items, 1000);
        Verify(folder, items);
    }

    public static void S1Compressed(string folder, int count)
    {
        var items = new Items(0, count, hashed: false);
        var dictionaries = new ValueDictionaries(DictionaryTree);
        Load("S1", "pipeline-compressed", folder, items, 1000, dictionaries);
        using var environment = StorageBenchmarks.Open(folder);
        using var transaction = environment.BeginRead();
        var random = new Xorshift(7);
        var tree = transaction.OpenTree(StorageBenchmarks.TreeName);
        var clock = new Clock();
        for (var n = 0; n < 100_000; n++)
        {
            var i = (int)(random.Next() % (ulong)items.Count);
            if (!tree.TryGet(items.Key(i), out var stored))
                throw new BenchmarkException($"item {i} is not there");
            var value = new byte[ValueDictionaries.DecodedLength(stored)];
            dictionaries.Decode(transaction, 0, stored, value);
            if (!items.Value(i).SequenceEqual(value))
                throw new BenchmarkException($"item {i} is not as it was written");
        }
        Report.Figure("S1", "pipeline-compressed", "reads", 100_000 / clock.Seconds, "1/s");
        Directory.Delete(folder, recursive: true);
    }

    public static void S2(string folder, int count)
    {
        var items = new Items(0, count, hashed: true);
        Load("S2", "pipeline", folder, items, 100);
        Verify(folder, items);
        Directory.Delete(folder, recursive: true);
    }

    private static void Load(
        string workload,
        string peer,
        string folder,
        Items items,
        int batch,
        ValueDictionaries? dictionaries = null
    )
    {
        Folders.Wipe(folder);
        var environment = StorageBenchmarks.Open(folder);
        try
        {
            var clock = new Clock();
            for (var from = 0; from < items.Count; from += batch)
            {
                var first = from;
                environment.Write(transaction =>
                {
                    var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                    var end = Math.Min(first + batch, items.Count);
                    for (var i = first; i < end; i++)
                    {
                        tree.Put(
                            items.Key(i),
                            dictionaries is null ? items.Value(i) : dictionaries.Encode(transaction, 0, items.Value(i))
                        );
                    }

                    return end;
                });
            }

            var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
            Report.Figure(workload, peer, "items", items.Count / seconds, "1/s");
            Report.Figure(workload, peer, "wall", seconds, "s");
            Report.Figure(workload, peer, "cpu", cpu, "s");
        }
        finally
        {
            var closing = new Clock();
            environment.Dispose();
            Report.Figure(workload, peer, "settle+close", closing.Seconds, "s");
        }

        Report.Figure(workload, peer, "disk", Folders.AllocatedBytes(folder) / 1e6, "MB");
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
