using System.Diagnostics;
using System.Runtime.CompilerServices;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>S4: point reads of S1's store.</summary>
internal static class PointReads
{
    public static void Run(string folder, string peer, int items, int threads, int readsPerSnapshot)
    {
        using var environment = StorageBenchmarks.Open(folder);
        using (var transaction = environment.BeginRead())
            FullScan.Scan(transaction.OpenTree(StorageBenchmarks.TreeName));
        var reads = 1_000_000 / threads;
        var accumulators = new ulong[threads];
        Clock? clock = null;
        using var barrier = new Barrier(threads, _ => clock = new Clock());
        var failures = new Exception?[threads];
        var workers = Enumerable
            .Range(0, threads)
            .Select(t => new Thread(() =>
            {
                try
                {
                    Read(environment, new Xorshift(99 + (ulong)t), 100_000, items, readsPerSnapshot);
                    barrier.SignalAndWait();
                    accumulators[t] = Read(environment, new Xorshift(42 + (ulong)t), reads, items, readsPerSnapshot);
                }
                catch (BenchmarkException e)
                {
                    failures[t] = e;
                    barrier.RemoveParticipant();
                }
            }))
            .ToArray();
        foreach (var worker in workers)
            worker.Start();
        foreach (var worker in workers)
            worker.Join();
        var (seconds, cpu) = (clock!.Seconds, clock.CpuSeconds);
        if (failures.FirstOrDefault(f => f is not null) is { } failure)
            throw failure;
        Report.Figure($"S4-{threads}t", peer, "reads", reads * threads / seconds, "1/s");
        Report.Figure($"S4-{threads}t", peer, "cpu", cpu, "s");
        Report.Remark($"check S4-{threads}t acc0={accumulators[0]:x16}");
        var expected = threads == 1 ? 0x046ef676448397bful : 0x4b7689c1667b5d81;
        if (items == 1_000_000 && threads <= 2 && accumulators[0] != expected)
            throw new BenchmarkException($"S4: thread 0 read {accumulators[0]:x16}, {expected:x16} is expected");
    }

    // Compiled once and wholly: a measured loop must not change its code on the way.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static ulong Read(
        StorageEnvironment environment,
        Xorshift random,
        int reads,
        int items,
        int readsPerSnapshot
    )
    {
        Span<byte> key = stackalloc byte[16];
        var accumulator = 0UL;
        using var transaction = environment.BeginRead();
        var tree = transaction.OpenTree(StorageBenchmarks.TreeName);
        for (var done = 0; done < reads; transaction.Reset())
        {
            transaction.Renew();
            for (var n = 0; n < readsPerSnapshot && done < reads; n++, done++)
            {
                Generator.Key(random.Next() % (ulong)items, key);
                if (!tree.TryGet(key, out var value))
                    throw new BenchmarkException("S4: a key is missing");
                accumulator = Generator.Touch(accumulator, value);
            }
        }

        return accumulator;
    }
}
