using System.Diagnostics;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>Waiting for a moment, as the harness of the peers does.</summary>
internal static class Pace
{
    public static void Until(long due)
    {
        var wait = (due - Stopwatch.GetTimestamp()) * 1000.0 / Stopwatch.Frequency;
        if (wait > 0) Thread.Sleep(TimeSpan.FromMilliseconds(wait));
    }
}
