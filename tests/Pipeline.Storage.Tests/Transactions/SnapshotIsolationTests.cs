using System.Buffers.Binary;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>
/// Writers move amounts between accounts, each transfer in one operation, while flushes run all the time.
/// Every snapshot must show the same total, later snapshots must never lose transfers, and a held snapshot must not
/// change.
/// </summary>
public sealed class SnapshotIsolationTests
{
    private const int Accounts = 400;

    private static byte[] Key(int i)
    {
        var key = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, i);
        return key;
    }

    private static byte[] Amount(long amount)
    {
        // Values of changing length, so that pages split, merge and spill.
        var value = new byte[8 + (amount % 7 == 0 ? 3000 : amount % 40)];
        BinaryPrimitives.WriteInt64LittleEndian(value, amount);
        return value;
    }

    private static (long Total, long Transfers) Read(ReadTransaction read)
    {
        using var cursor = read.OpenTree("accounts").OpenCursor();
        var (total, count) = (0L, 0);
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
        {
            total += BinaryPrimitives.ReadInt64LittleEndian(cursor.Value);
            count++;
        }
        Assert.Equal(Accounts, count);
        Assert.True(read.OpenTree("state").TryGet("transfers"u8, out var transfers));
        return (total, BinaryPrimitives.ReadInt64LittleEndian(transfers));
    }

    private static void Transfer(WriteTransaction t, int from, int to, long amount)
    {
        var tree = t.OpenTree("accounts");
        Assert.True(tree.TryGet(Key(from), out var value));
        var left = BinaryPrimitives.ReadInt64LittleEndian(value) - amount;
        Assert.True(tree.TryGet(Key(to), out value));
        var right = BinaryPrimitives.ReadInt64LittleEndian(value) + (from == to ? 0 : amount);
        if (from == to)
            return;
        tree.Put(Key(from), Amount(left));
        tree.Put(Key(to), Amount(right));
        var state = t.OpenTree("state");
        Assert.True(state.TryGet("transfers"u8, out value));
        state.Put("transfers"u8, Amount(BinaryPrimitives.ReadInt64LittleEndian(value) + 1));
        if (left % 13 == 0)
            throw new InvalidOperationException("refused after the change");
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, false)]
    public async Task Snapshots_are_consistent_and_stable_under_writers_and_flushes(int seed, bool memory)
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = memory ? null : folder.Path,
                FlushScratchBytes = 1 << 20,
                FlushJournalBytes = 1 << 18,
                MaxMergedBytes = 1 << 18,
                MaxDataFileBytes = 1 << 30,
            }
        );
        await environment.WriteAsync(t =>
        {
            for (var i = 0; i < Accounts; i++)
                t.CreateTree("accounts").Put(Key(i), Amount(1000));
            t.CreateTree("state").Put("transfers"u8, Amount(0));
        });
        var done = 0L;
        using var stop = new CancellationTokenSource();
        var readers = Enumerable
            .Range(0, 2)
            .Select(r => Task.Run(() => ReadAll(environment, new Random((seed * 10) + r), stop.Token)))
            .ToArray();
        var writers = Enumerable
            .Range(0, 6)
            .Select(w =>
                Task.Run(async () =>
                {
                    var random = new Random((seed * 100) + w);
                    for (var i = 0; i < 400; i++)
                    {
                        var (from, to, amount) = (random.Next(Accounts), random.Next(Accounts), random.Next(1, 50));
                        try
                        {
                            await environment.WriteAsync(t => Transfer(t, from, to, amount));
                            if (from != to)
                                Interlocked.Increment(ref done);
                        }
                        catch (InvalidOperationException e)
                            when (e.Message.StartsWith("refused", StringComparison.Ordinal))
                        {
                            // Rolled back: the totals show whether it was.
                        }
                    }
                })
            )
            .ToArray();
        await Task.WhenAll(writers);
        await stop.CancelAsync();
        await Task.WhenAll(readers);
        using (var read = environment.BeginRead())
            Assert.Equal((Accounts * 1000L, done), Read(read));
        var report = StorageChecker.Check(environment);
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
        environment.Flush();
        Assert.True(environment.GetStatistics().Flushes > 0);
    }

    private static void ReadAll(StorageEnvironment environment, Random random, CancellationToken stop)
    {
        var seen = 0L;
        while (!stop.IsCancellationRequested)
        {
            using var read = environment.BeginRead();
            var first = Read(read);
            Assert.Equal(Accounts * 1000L, first.Total);
            Assert.True(first.Transfers >= seen, $"{first.Transfers} transfers after {seen} had been seen");
            seen = first.Transfers;
            for (var again = random.Next(6); again > 0; again--)
                Assert.Equal(first, Read(read));
        }
    }

    [Fact]
    public async Task A_reader_allocates_nothing_per_page()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions { MaxDataFileBytes = 1 << 30 });
        await environment.WriteAsync(t =>
        {
            for (var i = 0; i < 20000; i++)
                t.CreateTree("t").Put(Key(i), Amount(i));
        });
        environment.Flush();
        using var read = environment.BeginRead();
        var tree = read.OpenTree("t");
        var keys = Enumerable.Range(0, 20000).Select(Key).ToArray();
        Sum(tree, keys);
        var before = GC.GetAllocatedBytesForCurrentThread();
        var sum = Sum(tree, keys);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.True(sum > 0);
    }

    private static long Sum(Tree tree, byte[][] keys)
    {
        var sum = 0L;
        foreach (var key in keys)
        {
            if (tree.TryGet(key, out var value))
                sum += value.Length;
        }
        return sum;
    }
}
