using System.Diagnostics;
using System.Globalization;
using Pipeline.Tests.Subscriptions.Simulation;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Tests.Subscriptions;

/// <summary>
/// Runs of <see cref="DeliverySimulation"/> until so many changes were delivered: <c>PIPELINE_DELIVERY_CHANGES</c> sets how many (default 1,000,000; the long run is
/// 100,000,000), <c>PIPELINE_SEED</c> the first seed. Memory does not grow with the number.
/// </summary>
public sealed class DeliverySimulationTests(ITestOutputHelper output)
{
    [Fact]
    public void Every_change_is_dealt_with_once_and_in_the_order_of_its_key()
    {
        long most = long.Parse(Environment.GetEnvironmentVariable("PIPELINE_DELIVERY_CHANGES") ?? "1000000", CultureInfo.InvariantCulture);
        int seed = int.Parse(Environment.GetEnvironmentVariable("PIPELINE_SEED") ?? "1", CultureInfo.InvariantCulture);
        long changes = 0, crashes = 0, fenced = 0, rejected = 0, rebalanced = 0;
        var watch = Stopwatch.StartNew();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        for (; changes < most; seed++)
        {
            var run = new DeliverySimulation(seed, PlantedBug.None);
            run.Run();
            changes += run.Changes;
            crashes += run.Crashes;
            fenced += run.Fenced;
            rejected += run.Rejected;
            rebalanced += run.Rebalanced;
        }

        output.WriteLine($"{changes} changes, {crashes} crashes, {fenced} late or repeated acknowledgements refused, {rejected} rejections, {rebalanced} rebalances, {watch.Elapsed.TotalSeconds:F1} s, {(Environment.CpuUsage.TotalTime - cpu).TotalSeconds:F1} s of processor time");
        Assert.True(crashes > changes / 1000 && fenced > changes / 1000 && rejected > changes / 100 && rebalanced > changes / 1000);
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
        for (int seed = 1; seed < 20; seed++)
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
