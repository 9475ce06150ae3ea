using System.Diagnostics;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>Runs many schedules outside of a test run, and names every seed that fails.</summary>
internal static class Schedules
{
    /// <returns>0 if no schedule failed.</returns>
    public static int Run(bool byTail, int first, int count, HostFault fault, bool traces)
    {
        var began = Stopwatch.GetTimestamp();
        var (bad, writes, reads) = (0, 0L, 0L);
        for (var seed = first; seed < first + count; seed++)
        {
            var run = new Simulation(seed, byTail, fault) { Trace = traces ? Console.WriteLine : null };
            try
            {
                run.Run();
            }
            catch (SimulationFailure failure)
            {
                bad++;
                Console.WriteLine($"seed {seed}: {failure.Message}");
            }
            (writes, reads) = (writes + run.Clients.Writes, reads + run.Clients.Reads);
        }
        Console.WriteLine(
            $"{count} schedules from {first} {(byTail ? "by tail" : "by contiguity")}, {fault}: {bad} bad, {writes} writes and {reads} reads acknowledged, {Stopwatch.GetElapsedTime(began).TotalSeconds:f1} s"
        );
        return bad == 0 ? 0 : 1;
    }
}
