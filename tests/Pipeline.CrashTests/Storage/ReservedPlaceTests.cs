using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>A commit that fails on its way leaves no gap in the journal and touches no other commit's entry.</summary>
public sealed class ReservedPlaceTests
{
    private static bool Put(StorageEnvironment environment, int i, int length = 200) =>
        environment.Write(t => t.CreateTree("t").Put(Encoding.UTF8.GetBytes($"{i:d5}"), new byte[length]));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_place_in_the_journal_is_given_back_where_its_entry_cannot_be_completed(bool planted)
    {
        using var disk = new SimulatedDisk();
        var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, planted ? StorageFaults.KeepReservedPlace : StorageFaults.None)
        );
        Put(environment, 0);
        StepHook.Observer = step =>
        {
            if (step == StorageStep.Reserved)
                throw new InsufficientMemoryException("planted");
        };
        Assert.Throws<InsufficientMemoryException>(() => Put(environment, 1));
        StepHook.Observer = null;
        for (var i = 2; i < 152; i++)
            Put(environment, i);

        using var crashed = After(disk);
        if (planted)
        {
            Assert.Throws<JournalCorruptException>(() =>
                StorageEnvironment.Open(CrashWorkload.Options(crashed, StorageFaults.None))
            );
            return;
        }
        using var again = StorageEnvironment.Open(CrashWorkload.Options(crashed, StorageFaults.None));
        using var read = again.BeginRead();
        Assert.Equal(151, read.OpenTree("t").Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_entry_on_its_way_is_not_touched_by_a_commit_that_fails(bool planted)
    {
        using var disk = new SimulatedDisk();
        var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, planted ? StorageFaults.ReuseEntryInFlight : StorageFaults.None) with
            {
                Threadless = true,
                MaxMergedBytes = 1,
            }
        );
        Put(environment, 0);
        using var written = new ManualResetEventSlim();
        using var sealedNext = new ManualResetEventSlim();
        var first = On(
            StorageStep.JournalWrite,
            () =>
            {
                written.Set();
                sealedNext.Wait();
            },
            () => Put(environment, 1)
        );
        written.Wait();
        await On(
            StorageStep.Reserved,
            () => throw new InsufficientMemoryException("planted"),
            () => Assert.Throws<InsufficientMemoryException>(() => Put(environment, 2))
        );
        var third = On(StorageStep.Sealed, sealedNext.Set, () => Put(environment, 3));
        await Task.WhenAll(first, third);

        using var crashed = After(disk);
        var found = 0L;
        var error = Record.Exception(() =>
        {
            using var again = StorageEnvironment.Open(
                CrashWorkload.Options(crashed, StorageFaults.None) with
                {
                    Threadless = true,
                }
            );
            using var read = again.BeginRead();
            found = read.OpenTree("t").Count;
        });
        Assert.Equal(!planted, error is null && found == 3);
    }

    /// <summary>
    /// Runs <paramref name="what"/> on a dedicated thread, and <paramref name="then"/> within it at step
    /// <paramref name="at"/>.
    /// </summary>
    private static Task On(StorageStep at, Action then, Action what) =>
        Task.Factory.StartNew(
            () =>
            {
                StepHook.Observer = step =>
                {
                    if (step == at)
                        then();
                };
                try
                {
                    what();
                }
                finally
                {
                    StepHook.Observer = null;
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );

    private static SimulatedDisk After(SimulatedDisk disk)
    {
        using var replay = new CrashReplay();
        foreach (var happening in disk.Log)
            replay.Apply(happening);
        return replay.Crash(new Random(1), CrashMode.LoseAll);
    }
}
