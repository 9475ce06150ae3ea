using System.Globalization;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>PIPELINE_CRASH_SEEDS sets how many workloads are tried, PIPELINE_CRASH_SEED the first one's seed.</summary>
public sealed class SimulatedCrashTests(ITestOutputHelper output)
{
    private static int Setting(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), CultureInfo.InvariantCulture, out var value) ? value : otherwise;

    [Theory]
    [InlineData(CrashMode.Mix, false)]
    [InlineData(CrashMode.Misdirect, false)]
    [InlineData(CrashMode.Mix, true)]
    [InlineData(CrashMode.Misdirect, true)]
    public async Task Every_crash_leaves_a_store_with_all_that_was_acknowledged(CrashMode mode, bool encrypted)
    {
        var first = Setting("PIPELINE_CRASH_SEED", 1);
        var crashes = 0;
        for (var seed = first; seed < first + Setting("PIPELINE_CRASH_SEEDS", 3); seed++)
        {
            var workload = new CrashWorkload(seed, 60, encrypted: encrypted);
            await workload.RunAsync();
            Assert.Null(workload.ReaderDifference);
            var (tried, fault) = CrashSimulation.Run(workload, seed, mixes: 3, mode, StorageFaults.None);
            Assert.True(fault is null, fault);
            crashes += tried;
        }
        output.WriteLine($"{crashes} crashes");
        Assert.True(crashes > 500, $"only {crashes} crashes were tried");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Crashes_under_grouped_commits_and_background_flushes_leave_whole_transactions(bool encrypted)
    {
        // The threads' timing differs from run to run: a seed gives the operations, not the disk's log.
        var crashes = 0;
        for (var seed = 1; seed <= Setting("PIPELINE_CRASH_SEEDS", 3); seed++)
        {
            var workload = new CrashWorkload(seed, 150, pipelined: true, encrypted: encrypted);
            await workload.RunAsync();
            Assert.Null(workload.ReaderDifference);
            var (tried, fault) = CrashSimulation.Run(workload, seed, mixes: 2, CrashMode.Mix, StorageFaults.None, every: 3);
            Assert.True(fault is null, fault);
            crashes += tried;
        }
        output.WriteLine($"{crashes} crashes");
        Assert.True(crashes > 300, $"only {crashes} crashes were tried");
    }

    [Theory]
    [InlineData((int)StorageFaults.AcknowledgeBeforeSync)]
    [InlineData((int)StorageFaults.IgnoreChecksums)]
    [InlineData((int)StorageFaults.MetaBeforeDataSync)]
    public async Task A_planted_bug_is_found_by_crashes(int planted)
    {
        for (var seed = 1; seed < 20; seed++)
        {
            var workload = new CrashWorkload(seed, 60, (StorageFaults)planted);
            await workload.RunAsync();
            var (tried, fault) = CrashSimulation.Run(workload, seed, mixes: 3, CrashMode.Mix, (StorageFaults)planted);
            if (fault is null)
                continue;
            output.WriteLine($"{(StorageFaults)planted}: found at crash {tried} of seed {seed}: {fault}");
            return;
        }
        Assert.Fail($"{(StorageFaults)planted} was not found");
    }

    [Fact]
    public async Task The_planted_bug_of_pages_written_under_old_readers_is_found()
    {
        for (var seed = 1; seed < 20; seed++)
        {
            var workload = new CrashWorkload(seed, 100, StorageFaults.FlushPastReaders);
            await workload.RunAsync();
            if (workload.ReaderDifference is null)
                continue;
            output.WriteLine($"found with seed {seed}: {workload.ReaderDifference}");
            return;
        }
        Assert.Fail("not found");
    }
}
