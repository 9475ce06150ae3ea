using System.Diagnostics;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// Seeded schedules of whole nodes. PIPELINE_SCHEDULES sets their number, PIPELINE_SEED the first one; a failure names
/// its seed. The assembly itself runs them, too, goes on after a failure, and can trace a schedule: `simulate
/// tail|contiguity FIRST COUNT FAULT [trace]`.
/// </summary>
public sealed class SimulationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_schedule_breaks_a_promise(bool byTail)
    {
        var (schedules, first) = (RunSetting.Read("PIPELINE_SCHEDULES", 200), RunSetting.Read("PIPELINE_SEED", 1));
        var began = Stopwatch.GetTimestamp();
        var (writes, reads, confirmed, records) = (0L, 0L, 0L, 0L);
        for (var seed = first; seed < first + schedules; seed++)
        {
            var run = new Simulation(seed, byTail, HostFault.None);
            var failure = Record.Exception(run.Run);
            Assert.True(failure is null, $"seed {seed}: {failure}");
            (writes, reads, confirmed, records) = (
                writes + run.Clients.Writes,
                reads + run.Clients.Reads,
                confirmed + run.Clients.ConfirmedReads,
                records + run.Log.Records.Count
            );
        }
        output.WriteLine(
            $"{schedules} schedules {(byTail ? "by tail" : "by contiguity")}, none bad: {writes} writes and {reads} reads acknowledged, {confirmed} of them confirmed by the log, {records} records, {Stopwatch.GetElapsedTime(began).TotalSeconds:f1} s"
        );
        Assert.True(
            writes > schedules * 50 && reads > schedules * 10 && confirmed > schedules,
            $"{writes} writes, {reads} reads, {confirmed} confirmed"
        );
    }

    [Fact]
    public void Reads_that_the_log_confirms_are_right_whatever_clocks_do()
    {
        var (schedules, first) = (RunSetting.Read("PIPELINE_SCHEDULES", 200), RunSetting.Read("PIPELINE_SEED", 1));
        var (writes, reads) = (0L, 0L);
        for (var seed = first; seed < first + schedules; seed++)
        {
            var run = new Simulation(seed, byTail: seed % 2 == 0, HostFault.None, wildClocks: true);
            var failure = Record.Exception(run.Run);
            Assert.True(failure is null, $"seed {seed}: {failure}");
            Assert.Equal(run.Clients.Reads, run.Clients.ConfirmedReads);
            (writes, reads) = (writes + run.Clients.Writes, reads + run.Clients.Reads);
        }
        output.WriteLine($"{schedules} schedules, none bad: {writes} writes and {reads} reads acknowledged");
        Assert.True(writes > schedules && reads > schedules, $"{writes} writes, {reads} reads");
    }

    [Theory]
    [InlineData(HostFault.NoContiguity)]
    [InlineData(HostFault.UnknownTakenForLanded)]
    [InlineData(HostFault.PublishedEarly)]
    [InlineData(HostFault.ErrorsLetGoEarly)]
    [InlineData(HostFault.LeaseBeforeSnapshot)]
    [InlineData(HostFault.NoLeaseWait)]
    [InlineData(HostFault.Unconfirmed)]
    public void A_planted_fault_is_found(HostFault fault)
    {
        for (var seed = 1; seed <= 100; seed++)
        {
            var run = new Simulation(seed, byTail: false, fault);
            if (Record.Exception(run.Run) is { } found)
            {
                Assert.IsType<SimulationFailure>(found);
                output.WriteLine($"{fault}: found by schedule {seed}: {found.Message}");
                return;
            }
        }
        Assert.Fail($"100 schedules did not find {fault}");
    }

    [Fact]
    public void A_seed_replays()
    {
        var (one, two) = (
            new Simulation(5, byTail: false, HostFault.None),
            new Simulation(5, byTail: false, HostFault.None)
        );
        one.Run();
        two.Run();
        Assert.Equal(
            one.Log.Records.Select(r => Convert.ToHexString(r.Span)),
            two.Log.Records.Select(r => Convert.ToHexString(r.Span))
        );
    }
}
