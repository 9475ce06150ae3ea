using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// Seeded schedules of whole nodes. PIPELINE_SCHEDULES sets their number, PIPELINE_SEED the first one; a failure names
/// its seed. The assembly itself runs them, too, and can trace a schedule: `simulate tail|contiguity|clocks FIRST COUNT
/// FAULT [trace]`.
/// </summary>
public sealed class SimulationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_schedule_breaks_a_promise(bool byTail)
    {
        var total = Run(byTail, 4500, wildClocks: false);
        Assert.True(
            total.Writes > total.Schedules * 50
                && total.Reads > total.Schedules * 10
                && total.ConfirmedReads > total.Schedules,
            total.ToString()
        );
    }

    [Fact]
    public void Reads_that_the_log_confirms_are_right_whatever_clocks_do()
    {
        var total = Run(byTail: true, 1000, wildClocks: true);
        Assert.Equal(total.Reads, total.ConfirmedReads);
        Assert.True(total.Writes > total.Schedules && total.Reads > total.Schedules, total.ToString());
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

    private Schedules.Total Run(bool byTail, int schedules, bool wildClocks)
    {
        var (count, first) = (RunSetting.Read("PIPELINE_SCHEDULES", schedules), RunSetting.Read("PIPELINE_SEED", 1));
        var total = Schedules.Run(byTail, first, count, HostFault.None, wildClocks);
        output.WriteLine(total.ToString());
        Assert.True(total.Bad.Count == 0, string.Join(Environment.NewLine, total.Bad));
        return total;
    }
}
