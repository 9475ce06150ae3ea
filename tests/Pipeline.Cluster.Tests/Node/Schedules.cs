using System.Diagnostics;
using System.Globalization;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>Runs many schedules of nodes without stores, and names every seed that fails.</summary>
internal static class Schedules
{
    /// <param name="wildClocks">See <see cref="Simulation.HasWildClocks"/>; every other schedule is by tail then.</param>
    /// <param name="failed">Is told of each failure at once.</param>
    /// <param name="trace">Is told what happens; schedules then run one after the other.</param>
    public static Total Run(
        bool byTail,
        int first,
        int count,
        HostFault fault,
        bool wildClocks = false,
        Action<string>? failed = null,
        Action<string>? trace = null
    )
    {
        var began = Stopwatch.GetTimestamp();
        var (writes, reads, confirmed, records) = (0L, 0L, 0L, 0L);
        var bad = SeedRun.All(
            first,
            count,
            isTraced: trace is not null,
            seed =>
            {
                var run = new Simulation(seed, wildClocks ? seed % 2 == 0 : byTail, fault, wildClocks)
                {
                    Trace = trace,
                };
                run.Run();
                Interlocked.Add(ref writes, run.Clients.Writes);
                Interlocked.Add(ref reads, run.Clients.Reads);
                Interlocked.Add(ref confirmed, run.Clients.ConfirmedReads);
                Interlocked.Add(ref records, run.Log.Records.Count);
            },
            failed
        );
        return new Total(
            $"{count} schedules from {first} {(wildClocks ? "with wild clocks" : byTail ? "by tail" : "by contiguity")}, {fault}",
            count,
            bad,
            writes,
            reads,
            confirmed,
            records,
            Stopwatch.GetElapsedTime(began)
        );
    }

    public sealed record Total(
        string What,
        int Schedules,
        IReadOnlyList<string> Bad,
        long Writes,
        long Reads,
        long ConfirmedReads,
        long Records,
        TimeSpan Time
    )
    {
        public override string ToString() =>
            string.Create(
                CultureInfo.InvariantCulture,
                $"{What}: {Bad.Count} bad; {Writes} writes and {Reads} reads acknowledged, {ConfirmedReads} of them confirmed by the log, {Records} records, {Time.TotalSeconds:f1} s"
            );
    }
}
