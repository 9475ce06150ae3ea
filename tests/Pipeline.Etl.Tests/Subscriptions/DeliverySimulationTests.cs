using System.Diagnostics;
using Pipeline.Etl.Tests.Subscriptions.Simulation;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <summary>
/// Runs <see cref="DeliverySimulation"/> until a number of changes were delivered. <c>PIPELINE_DELIVERY_CHANGES</c>
/// sets the number (default 1,000,000; the long run has 100,000,000), <c>PIPELINE_SEED</c> the first seed. Memory does
/// not grow with the number.
/// </summary>
public sealed class DeliverySimulationTests(ITestOutputHelper output)
{
    /// <summary>
    /// Runs of one round, over all processors; each is small and its own, so that memory stays what these need.
    /// </summary>
    private const int Beside = 32;

    [Fact]
    public void Every_change_is_dealt_with_once_and_in_the_order_of_its_key()
    {
        var most = RunSetting.Read("PIPELINE_DELIVERY_CHANGES", 1_000_000);
        var seed = RunSetting.Read("PIPELINE_SEED", 1);
        long changes = 0,
            crashes = 0,
            fenced = 0,
            rejected = 0,
            rebalanced = 0;
        var watch = Stopwatch.StartNew();
        var cpu = Environment.CpuUsage.TotalTime;
        for (; changes < most; seed += Beside)
        {
            Parallel.For(
                seed,
                seed + Beside,
                s =>
                {
                    var run = new DeliverySimulation(s, PlantedBug.None);
                    run.Run();
                    Interlocked.Add(ref changes, run.Changes);
                    Interlocked.Add(ref crashes, run.Crashes);
                    Interlocked.Add(ref fenced, run.Fenced);
                    Interlocked.Add(ref rejected, run.Rejected);
                    Interlocked.Add(ref rebalanced, run.Rebalanced);
                }
            );
        }

        output.WriteLine(
            $"{changes} changes, {crashes} crashes, {fenced} late or repeated acknowledgements refused, {rejected} rejections, {rebalanced} rebalances, {watch.Elapsed.TotalSeconds:F1} s, {(Environment.CpuUsage.TotalTime - cpu).TotalSeconds:F1} s of processor time, {GC.GetTotalMemory(false) >> 20} MiB"
        );
        Assert.True(
            crashes > changes / 1000
                && fenced > changes / 1000
                && rejected > changes / 100
                && rebalanced > changes / 1000
        );
    }

    [Theory]
    [InlineData(PlantedBug.PositionBeforeAcknowledgement)]
    [InlineData(PlantedBug.LeaseNotFenced)]
    [InlineData(PlantedBug.RetriesOvertaken)]
    [InlineData(PlantedBug.PositionBeforeCommit)]
    [InlineData(PlantedBug.HandedOverInFlight)]
    [InlineData(PlantedBug.AheadForgotten)]
    public void A_planted_bug_is_found(PlantedBug bug)
    {
        for (var seed = 1; seed < 20; seed++)
        {
            try
            {
                new DeliverySimulation(seed, bug).Run();
            }
            catch (SimulationException e)
            {
                output.WriteLine(e.Message);
                return;
            }
        }

        Assert.Fail($"{bug} was not found");
    }
}
