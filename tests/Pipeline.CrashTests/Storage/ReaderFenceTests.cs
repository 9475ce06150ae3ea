using Pipeline.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// The reader table under real threads: readers take and renew snapshots while one thread publishes states and frees
/// those that no slot holds. Bounded by counts. What the processor and the system's scheduler do differs from run to
/// run, so a run without a fault proves less than the interleavings do; it shows what only hardware does.
/// </summary>
public sealed class ReaderFenceTests(ITestOutputHelper output)
{
    /// <summary>Snapshots that each reader takes, five with one slot.</summary>
    private const int Snapshots = 20_000;

    /// <summary>Where a reader gives way while it chooses, the publisher waits for it each time.</summary>
    private const int YieldingSnapshots = 2_000;

    [Theory]
    [InlineData(1, false)]
    [InlineData(3, false)]
    [InlineData(3, true)]
    public void No_snapshot_is_freed_while_a_reader_holds_it(int readers, bool yields)
    {
        var run = new Run(StorageFaults.None, yields);
        run.Go(readers);
        output.WriteLine($"{readers} readers, {run.Published} publications, {run.Freed} states freed");
        Assert.Equal(0, run.Faults);
        Assert.True(run.Freed > 0, "no state was freed");
    }

    [Theory]
    [InlineData((int)StorageFaults.ReaderWithoutFence)]
    [InlineData((int)StorageFaults.ReaderNotChoosing)]
    public void A_planted_bug_is_found(int planted)
    {
        for (var round = 1; round <= 40; round++)
        {
            var run = new Run((StorageFaults)planted, yields: true);
            run.Go(3);
            if (run.Faults == 0)
                continue;
            output.WriteLine(
                $"{(StorageFaults)planted}: found in round {round}, after {run.FirstFault} publications; {run.Faults} times in the round"
            );
            return;
        }
        Assert.Fail($"{(StorageFaults)planted} was not found");
    }

    /// <summary>
    /// Only the processor can reorder the store and the load of a missing fence, and it may not do so in a given run.
    /// So the test reports the count and does not assert it.
    /// </summary>
    [Fact]
    public void What_this_processor_makes_of_a_missing_fence_is_told()
    {
        var (found, first) = (0L, 0L);
        for (var round = 1; round <= 10 && found == 0; round++)
        {
            var run = new Run(StorageFaults.ReaderFenceLeftOut, yields: false);
            run.Go(1);
            (found, first) = (run.Faults, run.FirstFault);
        }
        output.WriteLine(
            found > 0
                ? $"a missing fence was met {found} times, first after {first} publications"
                : "a missing fence was not met by this processor in this run"
        );
    }

    private sealed class Run(StorageFaults faults, bool yields)
    {
        private StoreState _published = State(1);
        private long _freed;
        private long _first;
        private int _faults;
        private int _reading;

        /// <summary>States up to this one are freed.</summary>
        public long Freed => Volatile.Read(ref _freed);

        public long Published => Volatile.Read(ref _published).TransactionId;

        public int Faults => Volatile.Read(ref _faults);

        public long FirstFault => Volatile.Read(ref _first);

        /// <summary>Publishes states until each reader has taken its snapshots.</summary>
        public void Go(int readers)
        {
            using var table = new ReaderTable(readers + 1, faults);
            using var start = new Barrier(readers + 1);
            _reading = readers;
            var threads = Enumerable
                .Range(0, readers)
                .Select(_ => new Thread(() =>
                {
                    start.SignalAndWait();
                    Read(table);
                    Interlocked.Decrement(ref _reading);
                })
                {
                    IsBackground = true,
                })
                .ToArray();
            foreach (var thread in threads)
                thread.Start();
            start.SignalAndWait();
            for (var id = 2L; Volatile.Read(ref _reading) > 0; id++)
            {
                Volatile.Write(ref _published, State(id));
                Volatile.Write(ref _freed, Math.Max(_freed, table.OldestSnapshot(id) - 1));
            }
            foreach (var thread in threads)
                thread.Join();
        }

        private static StoreState State(long id) =>
            new()
            {
                TransactionId = id,
                PageCount = 2,
                FreePages = 0,
                CatalogRoot = 0,
                Ticks = 0,
                Journal = default,
            };

        private void Read(ReaderTable table)
        {
            var chosen = 0;
            if (yields)
            {
                StepHook.Observer = step =>
                {
                    if (step == StorageStep.ReaderChosen && ++chosen % 8 == 0)
                        Thread.Yield();
                };
            }
            try
            {
                for (var taken = 0; taken < (yields ? YieldingSnapshots : Snapshots); taken += 5)
                {
                    var slot = table.Register(ref _published, 0, out var state);
                    Check(state.TransactionId);
                    for (var i = 0; i < 4; i++)
                        Check(table.Renew(slot, ref _published, 0).TransactionId);
                    table.Release(slot);
                }
            }
            finally
            {
                StepHook.Observer = null;
            }
        }

        private void Check(long snapshot)
        {
            for (var i = 0; i < 3; i++)
            {
                if (snapshot <= Freed)
                {
                    if (Interlocked.Increment(ref _faults) == 1)
                        Volatile.Write(ref _first, Published);
                    return;
                }
                Thread.SpinWait(5);
            }
        }
    }
}
