using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>
/// Seeded schedules of nodes with real stores. PIPELINE_SCHEDULES sets their number, PIPELINE_SEED the first one; a
/// failure names its seed. The assembly itself runs them, too, goes on after a failure, and can trace a schedule:
/// `stores tail|contiguity FIRST COUNT FAULT [trace]`.
/// </summary>
public sealed class StoreSimulationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Stores_are_equal_page_by_page_after_every_schedule(bool byTail)
    {
        var (schedules, first) = (RunSetting.Read("PIPELINE_SCHEDULES", 100), RunSetting.Read("PIPELINE_SEED", 1));
        var total = StoreSchedules.Run(byTail, first, schedules, StoreFault.None);
        output.WriteLine(total.ToString());
        Assert.True(total.Bad.Count == 0, string.Join(Environment.NewLine, total.Bad));
        Assert.True(total.Refills > schedules / 5, total.ToString());
        Assert.True(total.Writes > schedules * 10 && total.Reads > schedules * 10, total.ToString());
    }

    /// <summary>
    /// Schedules that once failed. In the first, a leader read nothing for a long time, and then needed records that
    /// others had trimmed. In the second, the simulation cut the last piece of a copy to no bytes.
    /// </summary>
    [Theory]
    [InlineData(28_000_927)]
    [InlineData(27_007_316)]
    public void A_schedule_that_was_bad_is_good(int seed)
    {
        var total = StoreSchedules.Run(byTail: false, seed, 1, StoreFault.None);
        Assert.True(total.Bad.Count == 0, string.Join(Environment.NewLine, total.Bad));
    }

    [Theory]
    [InlineData(StoreFault.NoContiguity)]
    [InlineData(StoreFault.UnknownTakenForLanded)]
    [InlineData(StoreFault.NoLeaseWait)]
    [InlineData(StoreFault.LeaseBeforeSnapshot)]
    [InlineData(StoreFault.PublishBeforeAcceptance)]
    [InlineData(StoreFault.AnswerBeforeAcceptance)]
    [InlineData(StoreFault.AnswerWithoutLease)]
    [InlineData(StoreFault.FlushBeforeJournal)]
    [InlineData(StoreFault.ApplyUnreserved)]
    [InlineData(StoreFault.TrimAheadOfDisk)]
    [InlineData(StoreFault.RefillAtWrongPlace)]
    [InlineData(StoreFault.RefillUnverified)]
    public void A_planted_fault_is_found(StoreFault fault)
    {
        for (var seed = 1; seed <= 1000; seed++)
        {
            using var run = new StoreSimulation(seed, byTail: false, fault);
            if (Record.Exception(run.Run) is { } found)
            {
                // An unreserved page fails the flush, and a damaged one the read, which no schedule expects.
                Assert.True(
                    found is Node.SimulationFailure
                        || fault is StoreFault.ApplyUnreserved or StoreFault.RefillUnverified,
                    $"schedule {seed}: {found}"
                );
                output.WriteLine($"{fault}: found by schedule {seed}: {found.Message}");
                return;
            }
        }
        Assert.Fail($"1,000 schedules did not find {fault}");
    }

    [Fact]
    public void A_seed_replays()
    {
        using var one = new StoreSimulation(5, byTail: false, StoreFault.None);
        using var two = new StoreSimulation(5, byTail: false, StoreFault.None);
        one.Run();
        two.Run();
        Assert.Equal(
            one.Log.Records.Select(r => Convert.ToHexString(r.Span)),
            two.Log.Records.Select(r => Convert.ToHexString(r.Span))
        );
    }
}
