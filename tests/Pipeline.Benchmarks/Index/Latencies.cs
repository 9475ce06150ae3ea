using System.Diagnostics;

namespace Pipeline.Benchmarks.Index;

/// <summary>The times of the queries of one kind, pooled over rounds.</summary>
public sealed class Latencies
{
    private readonly List<double> _microseconds = [];

    public void Add(long since) => _microseconds.Add(Stopwatch.GetElapsedTime(since).TotalMicroseconds);

    public void Report(string workload, string peer, string kind)
    {
        double[] sorted = [.. _microseconds.Order()];
        Benchmarks.Report.Figure(workload, peer, kind, sorted.Length / (sorted.Sum() / 1e6), "1/s");
        Benchmarks.Report.Figure(workload, peer, kind + "-p50", Benchmarks.Report.Percentile(sorted, .5), "us");
        Benchmarks.Report.Figure(workload, peer, kind + "-p99", Benchmarks.Report.Percentile(sorted, .99), "us");
    }
}
