using System.Collections.Concurrent;
using System.Diagnostics;
using Pipeline.Storage;
using Pipeline.TestKit;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>PIPELINE_CRASH_SEEDS sets how many workloads are tried, PIPELINE_CRASH_SEED the first one's seed.</summary>
public sealed class SimulatedCrashTests(ITestOutputHelper output)
{
    /// <summary>
    /// Runs the seeds on all processors, each seed by itself and so the same each time; returns the crashes tried.
    /// </summary>
    private static int Try(int seeds, Func<int, (int Crashes, string? Fault)> run)
    {
        var first = RunSetting.Read("PIPELINE_CRASH_SEED", 1);
        var count = RunSetting.Read("PIPELINE_CRASH_SEEDS", seeds);
        var crashes = 0;
        var faults = new ConcurrentQueue<string>();
        Parallel.For(
            first,
            first + count,
            new ParallelOptions { MaxDegreeOfParallelism = Environment.ProcessorCount },
            (seed, loop) =>
            {
                var (tried, fault) = run(seed);
                Interlocked.Add(ref crashes, tried);
                if (fault is null)
                    return;
                faults.Enqueue(fault);
                loop.Stop();
            }
        );
        Assert.True(
            faults.IsEmpty,
            string.Join(Environment.NewLine, faults)
                + Environment.NewLine
                + "PIPELINE_CRASH_SEED=<seed> PIPELINE_CRASH_SEEDS=1 replays it."
        );
        return crashes;
    }

    [Theory]
    [InlineData(CrashMode.Mix, false, 32, 48_000)]
    [InlineData(CrashMode.Misdirect, false, 18, 11_000)]
    [InlineData(CrashMode.Mix, true, 8, 12_000)]
    [InlineData(CrashMode.Misdirect, true, 6, 4_000)]
    public void Every_crash_leaves_a_store_with_all_that_was_acknowledged(
        CrashMode mode,
        bool encrypted,
        int seeds,
        int expected
    )
    {
        var watch = Stopwatch.StartNew();
        var crashes = Try(
            seeds,
            seed =>
            {
                var workload = new CrashWorkload(seed, 60, encrypted: encrypted);
                workload.RunAsync().GetAwaiter().GetResult();
                return workload.ReaderDifference is { } difference
                    ? (0, $"seed {seed}: a held reader: {difference}")
                    : CrashSimulation.Run(
                        workload,
                        seed,
                        mixes: mode == CrashMode.Mix ? 4 : 3,
                        mode,
                        StorageFaults.None
                    );
            }
        );
        output.WriteLine($"{crashes} crashes in {watch.Elapsed.TotalSeconds:f1} s");
        Assert.True(
            Environment.GetEnvironmentVariable("PIPELINE_CRASH_SEEDS") is not null || crashes >= expected,
            $"only {crashes} crashes were tried"
        );
    }

    [Theory]
    [InlineData(false, 9, 20_000)]
    [InlineData(true, 3, 5_000)]
    public void Crashes_under_grouped_commits_and_background_flushes_leave_whole_transactions(
        bool encrypted,
        int seeds,
        int expected
    )
    {
        // The threads' timing differs from run to run: a seed gives the operations, not the disk's log.
        var watch = Stopwatch.StartNew();
        var crashes = Try(
            seeds,
            seed =>
            {
                var workload = new CrashWorkload(seed, 150, pipelined: true, encrypted: encrypted);
                workload.RunAsync().GetAwaiter().GetResult();
                return workload.ReaderDifference is { } difference
                    ? (0, $"seed {seed}: a held reader: {difference}")
                    : CrashSimulation.Run(workload, seed, mixes: 3, CrashMode.Mix, StorageFaults.None);
            }
        );
        output.WriteLine($"{crashes} crashes in {watch.Elapsed.TotalSeconds:f1} s");
        Assert.True(
            Environment.GetEnvironmentVariable("PIPELINE_CRASH_SEEDS") is not null || crashes >= expected,
            $"only {crashes} crashes were tried"
        );
    }

    [Fact]
    public async Task Workloads_give_back_space_and_cut_the_file_while_it_is_open()
    {
        var (holes, cuts, refused) = (0, 0, 0);
        for (var seed = 1; seed <= 10; seed++)
        {
            var workload = new CrashWorkload(seed, 60);
            await workload.RunAsync();
            holes += workload.Disk.Log.Count(e => e.Kind == DiskEventKind.PunchHole);
            refused += workload.Refused;
            cuts +=
                workload.Disk.Log.Count(e =>
                    e.Kind == DiskEventKind.Truncate && e.Path!.EndsWith(".data", StringComparison.Ordinal)
                ) - workload.Closings;
        }
        output.WriteLine($"{holes} holes, {cuts} cuts, {refused} operations that caught an error");
        Assert.True(holes > 5 && cuts > 3 && refused > 3, $"{holes} holes, {cuts} cuts, {refused} refused");
    }

    [Theory]
    [InlineData((int)StorageFaults.AcknowledgeBeforeSync)]
    [InlineData((int)StorageFaults.IgnoreChecksums)]
    [InlineData((int)StorageFaults.MetaBeforeDataSync)]
    [InlineData((int)StorageFaults.RecycleBeforeMeta)]
    [InlineData((int)StorageFaults.JournalNameUnsynced)]
    [InlineData((int)StorageFaults.ParentsUnsynced)]
    [InlineData((int)StorageFaults.OneMetaSlot)]
    [InlineData((int)StorageFaults.RecoverWithoutSync)]
    [InlineData((int)StorageFaults.NoFlushCopies)]
    public async Task A_planted_bug_is_found_by_crashes(int planted)
    {
        for (var seed = 1; seed < 20; seed++)
        {
            // A flush in progress reuses or deletes files only if commits continue during it.
            var workload = new CrashWorkload(
                seed,
                150,
                (StorageFaults)planted,
                pipelined: (StorageFaults)planted == StorageFaults.RecycleBeforeMeta,
                encrypted: (StorageFaults)planted is StorageFaults.NoFlushCopies or StorageFaults.OneMetaSlot
            );
            await workload.RunAsync();
            var (tried, fault) = CrashSimulation.Run(workload, seed, mixes: 3, CrashMode.Mix, (StorageFaults)planted);
            if (fault is null)
                continue;
            output.WriteLine($"{(StorageFaults)planted}: found at crash {tried} of seed {seed}: {fault}");
            return;
        }
        Assert.Fail($"{(StorageFaults)planted} was not found");
    }

    [Theory]
    [InlineData((int)StorageFaults.FlushPastReaders)]
    [InlineData((int)StorageFaults.PunchPastReaders)]
    [InlineData((int)StorageFaults.CutAboveFrozenPages)]
    [InlineData((int)StorageFaults.PublishBeforeSync)]
    [InlineData((int)StorageFaults.CommitIncompleteOperations)]
    [InlineData((int)StorageFaults.PrunePastReaders)]
    [InlineData((int)StorageFaults.ThawEarly)]
    public async Task A_planted_bug_that_takes_pages_from_old_readers_is_found(int planted)
    {
        for (var seed = 1; seed < 20; seed++)
        {
            var workload = new CrashWorkload(seed, 100, (StorageFaults)planted);
            await workload.RunAsync();
            if (workload.ReaderDifference is null)
                continue;
            output.WriteLine($"{(StorageFaults)planted}: found with seed {seed}: {workload.ReaderDifference}");
            return;
        }
        Assert.Fail("not found");
    }
}
