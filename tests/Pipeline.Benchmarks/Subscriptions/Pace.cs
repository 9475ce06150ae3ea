using System.Diagnostics;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>Waits until a given moment, as the peers' harness does.</summary>
internal static class Pace
{
    public static void Until(long due)
    {
        var wait = (due - Stopwatch.GetTimestamp()) * 1000.0 / Stopwatch.Frequency;
        if (wait > 0)
            Thread.Sleep(TimeSpan.FromMilliseconds(wait));
    }
}
