using System.Globalization;

namespace Pipeline.Benchmarks;

/// <summary>Prints results: one line `workload peer metric value unit` a figure, remarks after `#`.</summary>
public static class Report
{
    public static void Figure(string workload, string peer, string metric, double value, string unit) =>
        Console.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{workload} {peer} {metric} {(value >= 100 ? value.ToString("F0", CultureInfo.InvariantCulture) : value.ToString("G4", CultureInfo.InvariantCulture))} {unit}"
            )
        );

    /// <summary>Prints the rate, the median and the 99th percentile of requests. Sorts their times.</summary>
    public static void Requests(string workload, string peer, double[] microseconds, double seconds)
    {
        Array.Sort(microseconds);
        Figure(workload, peer, "rate", microseconds.Length / seconds, "1/s");
        Figure(workload, peer, "p50", Percentile(microseconds, .5), "us");
        Figure(workload, peer, "p99", Percentile(microseconds, .99), "us");
    }

    public static void Remark(string text) => Console.WriteLine($"# {text}");

    /// <summary>The value below which the share <paramref name="p"/> of the sorted values lies.</summary>
    public static double Percentile(double[] sorted, double p) =>
        sorted.Length == 0 ? 0 : sorted[Math.Min(sorted.Length - 1, (int)(p * sorted.Length))];
}
