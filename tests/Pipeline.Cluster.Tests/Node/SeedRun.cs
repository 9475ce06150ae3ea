using System.Collections.Concurrent;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>Runs schedules on all processors, and goes on after one that fails.</summary>
internal static class SeedRun
{
    /// <param name="isTraced">Whether they run one after the other.</param>
    /// <param name="run">Runs the schedule of a seed, on several threads at once.</param>
    /// <param name="failed">Is told of each failure at once.</param>
    /// <returns>A line for each seed that failed, in the order of seeds.</returns>
    public static IReadOnlyList<string> All(
        int first,
        int count,
        bool isTraced,
        Action<int> run,
        Action<string>? failed = null
    )
    {
        var bad = new ConcurrentDictionary<int, string>();
        var options = new ParallelOptions { MaxDegreeOfParallelism = isTraced ? 1 : Environment.ProcessorCount };
        Parallel.For(
            first,
            first + count,
            options,
            seed =>
            {
                try
                {
                    run(seed);
                }
#pragma warning disable CA1031 // Whatever it is, the schedule is bad.
                catch (Exception e)
#pragma warning restore CA1031
                {
                    var message = $"seed {seed}: {(e is SimulationFailure ? e.Message : e.ToString())}";
                    bad[seed] = message;
                    failed?.Invoke(message);
                }
            }
        );
        return [.. bad.OrderBy(b => b.Key).Select(b => b.Value)];
    }
}
