using System.Diagnostics;
using Pipeline.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage.Interleavings;

/// <summary>
/// Interleaves the steps of readers, commit, pruning and flush on a deterministic scheduler: all orders with at most
/// one unforced switch (two in long runs), and seeded orders of longer programs. PIPELINE_FUZZ_MINUTES asks for long
/// runs and sets how long the seeded ones take. PIPELINE_SEED sets their first seed.
/// </summary>
public sealed class InterleavingTests(ITestOutputHelper output)
{
    /// <summary>The names of the programs; each is a set of threads that run concurrently.</summary>
    public static TheoryData<string> Programs => new("flush", "renew", "prune", "past");

    [Theory]
    [MemberData(nameof(Programs))]
    public void All_small_interleavings_are_right(string programs)
    {
        var watch = Stopwatch.StartNew();
        var (runs, fault) = Explore(programs, StorageFaults.None, LongRuns.AreOn ? 2 : 1, int.MaxValue);
        output.WriteLine($"{programs}: {runs} interleavings in {watch.Elapsed.TotalSeconds:f1} s");
        Assert.Null(fault);
        Assert.True(runs > 30, $"only {runs} interleavings");
    }

    [Fact]
    public void Seeded_interleavings_of_longer_programs_are_right()
    {
        var time = LongRuns.Duration(TimeSpan.FromSeconds(2));
        var watch = Stopwatch.StartNew();
        var runs = 0;
        for (var seed = LongRuns.FirstSeed; runs == 0 || watch.Elapsed < time; seed++, runs++)
        {
            Assert.True(
                Try(seed, StorageFaults.None) is not { } fault,
                $"PIPELINE_SEED={seed}: {Try(seed, StorageFaults.None)}"
            );
        }

        output.WriteLine($"{runs} seeds in {watch.Elapsed.TotalSeconds:f1} s");
    }

    [Theory]
    [InlineData((int)StorageFaults.ReaderWithoutFence)]
    [InlineData((int)StorageFaults.ReaderNotChoosing)]
    [InlineData((int)StorageFaults.PublishBeforeSync)]
    [InlineData((int)StorageFaults.FreeAtOnce)]
    [InlineData((int)StorageFaults.PrunePastReaders)]
    [InlineData((int)StorageFaults.FlushPastReaders)]
    [InlineData((int)StorageFaults.CutAboveFrozenPages)]
    [InlineData((int)StorageFaults.ThawEarly)]
    public void A_planted_bug_is_found(int planted)
    {
        var runs = 0;
        // One switch first: a bug that one switch exposes is found quickly.
        foreach (
            var (programs, bound) in new[]
            {
                ("flush", 1),
                ("renew", 1),
                ("prune", 1),
                ("past", 1),
                ("past", 2),
                ("flush", 2),
                ("prune", 2),
                ("renew", 2),
            }
        )
        {
            var (tried, fault) = Explore(programs, (StorageFaults)planted, bound, 20_000);
            runs += tried;
            if (fault is null)
                continue;
            output.WriteLine($"{(StorageFaults)planted}: found by interleaving {runs} ({programs}, {bound}): {fault}");
            return;
        }
        Assert.Fail($"{(StorageFaults)planted} was not found in {runs} interleavings");
    }

    private static Action[] ProgramsOf(string name, Interleaving store)
    {
        switch (name)
        {
            case "flush":
                return [store.Reader(1), store.Writer(1), store.Flush(1)];
            case "renew":
                return [store.Reader(2), store.Writer(1), store.Flush(1)];
            case "prune":
                return [store.Reader(1), store.Writer(2), store.Reader(1)];
            default:
                store.Hold();
                return [store.Flush(2), store.Writer(1), store.Reader(1)];
        }
    }

    /// <summary>
    /// Depth first: the last choice that could be another one is, until none is left within the bound.
    /// </summary>
    private static (int Runs, string? Fault) Explore(string programs, StorageFaults faults, int bound, int most)
    {
        var path = new List<(int Chosen, int Options, bool Free)>();
        for (var runs = 1; ; runs++)
        {
            var at = 0;
            if (Run(faults, store => ProgramsOf(programs, store), Choose) is { } fault)
                return (runs, fault);
            path.RemoveRange(at, path.Count - at);
            while (path.Count > 0 && !CanAdvance(path, bound))
                path.RemoveAt(path.Count - 1);
            if (path.Count == 0 || runs == most)
                return (runs, null);
            path[^1] = path[^1] with { Chosen = path[^1].Chosen + 1 };

            int Choose(int options, bool canStay)
            {
                if (at == path.Count)
                    path.Add((0, options, !canStay));
                return path[at++].Chosen;
            }
        }
    }

    private static bool CanAdvance(List<(int Chosen, int Options, bool Free)> path, int bound)
    {
        var last = path[^1];
        return last.Chosen + 1 < last.Options
            && (last.Free || path.Take(path.Count - 1).Count(p => !p.Free && p.Chosen > 0) < bound);
    }

    private static string? Try(int seed, StorageFaults faults)
    {
        var random = new Random(seed);
        return Run(
            faults,
            store =>
            {
                if (random.Next(2) == 0)
                    store.Hold();
                return
                [
                    store.Writer(random.Next(2, 6)),
                    store.Flush(random.Next(1, 4)),
                    .. Enumerable.Range(0, random.Next(1, 4)).Select(_ => store.Reader(random.Next(1, 4))),
                ];
            },
            (options, canStay) => canStay && random.Next(4) != 0 ? 0 : random.Next(options)
        );
    }

    private static string? Run(StorageFaults faults, Func<Interleaving, Action[]> programs, Func<int, bool, int> choose)
    {
        using var store = new Interleaving(faults);
        using var scheduler = new StepScheduler(choose, programs(store));
        if (scheduler.Run() is { } error)
            return error.Message;
        return Record.Exception(store.Finish)?.Message;
    }
}
