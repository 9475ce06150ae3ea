using System.Buffers.Binary;
using System.Diagnostics;
using Pipeline.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Runs writers, readers and compactions at once and checks the history that they observed. PIPELINE_FUZZ_MINUTES sets
/// how long.
/// </summary>
public sealed class HistoryTests(ITestOutputHelper output)
{
    private const int Keys = 48;
    private const int Writers = 6;
    private const int MaxSnapshots = 50_000;

    [Fact]
    public async Task What_writers_and_readers_saw_has_one_order_that_explains_it()
    {
        var time = LongRuns.Duration(TimeSpan.FromSeconds(3));
        var watch = Stopwatch.StartNew();
        var (rounds, writes, snapshots) = (0, 0, 0);
        for (var seed = LongRuns.FirstSeed; rounds == 0 || watch.Elapsed < time; seed++, rounds++)
        {
            var history = new History();
            await RunAsync(seed, history, memory: seed % 3 == 0);
            var fault = history.Check(Keys);
            Assert.True(fault is null, $"seed {seed}: {fault}");
            Assert.True(
                history.Writes > 1000 && history.Snapshots > 20,
                $"{history.Writes} writes, {history.Snapshots} snapshots"
            );
            writes += history.Writes;
            snapshots += history.Snapshots;
        }
        output.WriteLine(
            $"{rounds} rounds, {writes} writes, {snapshots} snapshots in {watch.Elapsed.TotalSeconds:f0} s, no contradiction"
        );
    }

    private static async Task RunAsync(int seed, History history, bool memory)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-history-").FullName;
        try
        {
            using var environment = StorageEnvironment.Open(
                new StorageOptions
                {
                    Path = memory ? null : folder,
                    FlushScratchBytes = 1 << 20,
                    FlushJournalBytes = 1 << 18,
                    FlushInterval = TimeSpan.FromMilliseconds(3), // So that flushes go past readers.
                    MaxMergedBytes = 1 << 18,
                    MaxJournalFileBytes = 1 << 20,
                    MaxDataFileBytes = 1 << 30,
                }
            );
            using var stop = new CancellationTokenSource();
            var readers = Enumerable
                .Range(0, 3)
                .Select(r => Task.Run(() => ReadAll(environment, history, new Random((seed * 100) + r), stop.Token)))
                .ToArray();
            var compactions = Task.Run(() => CompactAsync(environment, stop.Token));
            await Task.WhenAll(
                Enumerable
                    .Range(0, Writers)
                    .Select(w => Task.Run(() => WriteAsync(environment, history, new Random((seed * 100) + 50 + w))))
            );
            await stop.CancelAsync();
            await Task.WhenAll([.. readers, compactions]);
            var report = StorageChecker.Check(environment);
            Assert.True(report.IsSound, string.Join("; ", report.Problems));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task CompactAsync(StorageEnvironment environment, CancellationToken stop)
    {
        for (var i = 0; i < 20 && !stop.IsCancellationRequested; i++)
            await environment.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 0 }, ct: CancellationToken.None);
    }

    private static async Task WriteAsync(StorageEnvironment environment, History history, Random random)
    {
        for (var i = 0; i < 500; i++)
        {
            var reads = Enumerable.Range(0, random.Next(4)).Select(_ => random.Next(Keys)).Distinct().ToArray();
            var writes = Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next(Keys)).Distinct().ToArray();
            var length = random.Next(20) == 0 ? random.Next(20000) : random.Next(300);
            var refused = random.Next(4) == 0;
            var started = Stopwatch.GetTimestamp();
            try
            {
                Func<WriteTransaction, (long, long, (int, long)[])> operation = t =>
                {
                    var tree = t.CreateTree("keys");
                    var found = reads.Select(key => (key, Writer(tree, key))).ToArray();
                    var next = Writer(tree, Keys) + 1;
                    Put(tree, Keys, next, 8);
                    foreach (var key in writes)
                        Put(tree, key, next, 8 + length);
                    return refused
                        ? throw new InvalidOperationException("refused after the change")
                        : (next, t.Id, found);
                };
                var (order, transaction, seen) =
                    random.Next(2) == 0 ? environment.Write(operation) : await environment.WriteAsync(operation);
                history.Add(new HistoryWrite(order, transaction, seen, writes, started, Stopwatch.GetTimestamp()));
            }
            catch (InvalidOperationException) when (refused)
            {
                // Not in the history: if anything of it were there, the history would show it.
            }
        }
    }

    private static void ReadAll(StorageEnvironment environment, History history, Random random, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            var started = Stopwatch.GetTimestamp();
            using var read = environment.BeginRead();
            var first = See(read, started);
            if (first is null)
                continue;
            // All of them at first, then few: they are cheap to take and costly to keep.
            if (history.Snapshots > MaxSnapshots && random.Next(100) != 0)
                continue;
            history.Add(first);
            // A held snapshot never changes: each look is a separate entry, and all must agree.
            for (
                var again = random.Next(8) == 0 ? 60 : random.Next(3);
                again > 0 && history.Snapshots <= MaxSnapshots && !stop.IsCancellationRequested;
                again--
            )
            {
                history.Add(See(read, started)!);
            }
        }
    }

    private static HistorySnapshot? See(ReadTransaction read, long started)
    {
        if (!read.TryOpenTree("keys", out var tree))
            return null;
        var writers = new long[Keys];
        for (var key = 0; key < Keys; key++)
            writers[key] = Writer(tree, key);
        return new HistorySnapshot(Writer(tree, Keys), read.Id, writers, started);
    }

    private static byte[] Key(int key) => [(byte)'k', (byte)key];

    private static long Writer(Tree tree, int key)
    {
        if (!tree.TryGet(Key(key), out var value))
            return 0;
        var writer = BinaryPrimitives.ReadInt64LittleEndian(value);
        if (value.Length > 8 && value[8..].ContainsAnyExcept((byte)writer))
            throw new InvalidDataException($"The value of key {key} is not all of write {writer}.");
        return writer;
    }

    private static void Put(Tree tree, int key, long writer, int length)
    {
        var place = tree.Reserve(Key(key), length);
        place.Fill((byte)writer);
        BinaryPrimitives.WriteInt64LittleEndian(place, writer);
    }
}
