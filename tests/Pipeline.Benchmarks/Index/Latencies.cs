using System.Diagnostics;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// The times of the queries of one kind, pooled over rounds. <c>best</c> takes the shortest time of each query,
/// which is steadier on a machine with other load. <c>cpu</c> is the process's time for each.
/// </summary>
/// <param name="rounds">How often each query is asked, in the same order.</param>
public sealed class Latencies(int rounds)
{
    private readonly List<double> _microseconds = [];

    private double _cpu;
    private Clock? _clock;

    /// <summary>Before a round over the queries; <see cref="End"/> after it.</summary>
    public void Begin() => _clock = new Clock();

    public void End() => _cpu += _clock?.CpuSeconds ?? 0;

    public void Add(long since) => _microseconds.Add(Stopwatch.GetElapsedTime(since).TotalMicroseconds);

    public void Report(string workload, string peer, string kind)
    {
        double[] sorted = [.. _microseconds.Order()];
        var queries = sorted.Length / rounds;
        double[] best =
        [
            .. Enumerable
                .Range(0, queries)
                .Select(q => Enumerable.Range(0, rounds).Min(r => _microseconds[r * queries + q]))
                .Order(),
        ];
        Benchmarks.Report.Figure(workload, peer, kind, sorted.Length / (sorted.Sum() / 1e6), "1/s");
        Benchmarks.Report.Figure(workload, peer, kind + "-p50", Benchmarks.Report.Percentile(sorted, .5), "us");
        Benchmarks.Report.Figure(workload, peer, kind + "-p99", Benchmarks.Report.Percentile(sorted, .99), "us");
        Benchmarks.Report.Figure(workload, peer, kind + "-cpu", _cpu * 1e6 / sorted.Length, "us");
        Benchmarks.Report.Figure(workload, peer, kind + "-best", queries / (best.Sum() / 1e6), "1/s");
        Benchmarks.Report.Figure(workload, peer, kind + "-best-p50", Benchmarks.Report.Percentile(best, .5), "us");
        Benchmarks.Report.Figure(workload, peer, kind + "-best-p99", Benchmarks.Report.Percentile(best, .99), "us");
    }
}
