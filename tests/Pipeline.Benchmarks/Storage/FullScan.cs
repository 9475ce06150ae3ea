using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S5: all of S1's store in key order.</summary>
internal static class FullScan
{
    public static void Run(string folder, string peer, int items)
    {
        using var environment = StorageBenchmarks.Open(folder);
        var seconds = new double[3];
        for (var pass = -1; pass < 3; pass++)
        {
            using var transaction = environment.BeginRead();
            var tree = transaction.OpenTree(StorageBenchmarks.TreeName);
            var clock = new Clock();
            var (count, accumulator) = Scan(tree);
            if (pass >= 0)
                seconds[pass] = clock.Seconds;
            if (count != items || (items == 1_000_000 && accumulator != 0x98d493f6810d7d98))
                throw new BenchmarkException($"S5: {count} items with {accumulator:x16}");
        }

        Array.Sort(seconds);
        Report.Figure("S5", peer, "items", items / seconds[1], "1/s");
    }

    internal static (long Count, ulong Accumulator) Scan(Tree tree)
    {
        var accumulator = 0UL;
        var count = 0L;
        using var cursor = tree.OpenCursor();
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext(), count++)
            accumulator = Generator.Touch(accumulator, cursor.Value);
        return (count, accumulator);
    }
}
