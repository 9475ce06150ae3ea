using System.Diagnostics;
using System.Globalization;
using Pipeline.Cluster.Tests.Node;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>Runs many schedules on all processors and names every seed that fails.</summary>
internal static class StoreSchedules
{
    public static Total Run(
        bool byTail,
        int first,
        int count,
        StoreFault fault,
        Action<string>? failed = null,
        Action<string>? trace = null
    )
    {
        var began = Stopwatch.GetTimestamp();
        long writes = 0,
            reads = 0,
            errors = 0,
            transactions = 0,
            leaders = 0,
            crashes = 0,
            refills = 0;
        var bad = SeedRun.All(
            first,
            count,
            isTraced: trace is not null,
            seed =>
            {
                using var run = new StoreSimulation(seed, byTail, fault) { Trace = trace };
                run.Run();
                Interlocked.Add(ref writes, run.Calls.Writes);
                Interlocked.Add(ref reads, run.Calls.Reads);
                Interlocked.Add(ref errors, run.Calls.Errors);
                Interlocked.Add(ref transactions, run.Transactions);
                Interlocked.Add(ref leaders, run.Leaders);
                Interlocked.Add(ref crashes, run.Crashes);
                Interlocked.Add(ref refills, run.Refills);
            },
            failed
        );
        return new Total(
            $"{count} schedules from {first} {(byTail ? "by tail" : "by contiguity")}, {fault}",
            bad,
            writes,
            reads,
            errors,
            transactions,
            leaders,
            crashes,
            refills,
            Stopwatch.GetElapsedTime(began)
        );
    }

    public sealed record Total(
        string What,
        IReadOnlyList<string> Bad,
        long Writes,
        long Reads,
        long Errors,
        long Transactions,
        long Leaders,
        long Crashes,
        long Refills,
        TimeSpan Time
    )
    {
        public override string ToString() =>
            string.Create(
                CultureInfo.InvariantCulture,
                $"{What}: {Bad.Count} bad; {Writes} writes and {Reads} reads acknowledged, {Errors} calls refused, {Transactions} transactions, {Leaders} claims, {Crashes} crashes, {Refills} refills, {Time.TotalSeconds:f1} s"
            );
    }
}
