using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>A read transaction that is reused for one snapshot after another; and reading allocates nothing.</summary>
public sealed class RenewedReadTests
{
    private static readonly byte[][] Sorted =
    [
        .. Enumerable.Range(0, 20_000).Select(i => System.Text.Encoding.ASCII.GetBytes($"key/{i:d8}")),
    ];

    [Fact]
    public async Task Renewing_shows_what_was_committed_since_and_resetting_holds_back_nothing()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await PutAsync(environment, "t", "a"u8.ToArray(), "1"u8.ToArray());
        using var reader = environment.BeginRead();
        var tree = reader.OpenTree("t");
        using var cursor = tree.OpenCursor();
        Assert.True(cursor.SeekFirst());
        await PutAsync(environment, "t", "a"u8.ToArray(), "2"u8.ToArray());
        Assert.True(tree.TryGet("a"u8, out var value) && value.SequenceEqual("1"u8));
        Assert.Equal(1, environment.GetStatistics().OpenReaders);

        reader.Reset();
        reader.Reset();
        Assert.Equal(0, environment.GetStatistics().OpenReaders);
        Assert.Throws<ObjectDisposedException>(() => tree.TryGet("a"u8, out _));
        Assert.Throws<ObjectDisposedException>(() => cursor.MoveNext());
        environment.Flush();
        Assert.Equal(environment.LastCommittedTransaction, environment.GetStatistics().CheckpointTransaction);

        reader.Renew();
        Assert.Equal(environment.LastCommittedTransaction, reader.Id);
        Assert.Throws<InvalidOperationException>(() => cursor.MoveNext());
        Assert.True(tree.TryGet("a"u8, out value) && value.SequenceEqual("2"u8));
        Assert.True(cursor.SeekFirst() && cursor.Value.SequenceEqual("2"u8));
        Assert.Same(tree, reader.OpenTree("t"));
    }

    [Fact]
    public async Task Trees_that_are_gone_are_closed_and_made_again_under_their_name_are_found()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await PutAsync(environment, "t", "a"u8.ToArray(), "1"u8.ToArray());
        await PutAsync(environment, "other", "b"u8.ToArray(), "1"u8.ToArray());
        using var reader = environment.BeginRead();
        var tree = reader.OpenTree("t");
        var other = reader.OpenTree("other");
        await environment.WriteAsync(transaction => transaction.DropTree("t"));
        reader.Renew();
        Assert.Throws<ObjectDisposedException>(() => tree.Contains("a"u8));
        Assert.True(other.Contains("b"u8));
        Assert.False(reader.TryOpenTree("t", out _));
        await PutAsync(environment, "t", "c"u8.ToArray(), "1"u8.ToArray());
        reader.Renew();
        Assert.True(reader.OpenTree("t").Contains("c"u8));
        Assert.Equal(1, reader.OpenTree("t").Count);
    }

    [Fact]
    public void An_ended_transaction_or_a_closed_environment_cannot_be_renewed()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        var ended = environment.BeginRead();
        ended.Dispose();
        Assert.Throws<ObjectDisposedException>(ended.Renew);
        Assert.Throws<ObjectDisposedException>(ended.Reset);
        using var reader = environment.BeginRead();
        using var reset = environment.BeginRead();
        reset.Reset();
        environment.Dispose();
        Assert.Throws<ObjectDisposedException>(reset.Renew);
        Assert.Throws<ObjectDisposedException>(reader.Renew);
        reader.Dispose();
    }

    [Fact]
    public async Task Renewed_snapshots_stay_whole_while_pages_change_and_are_flushed()
    {
        const int Keys = 400;
        using var environment = StorageEnvironment.Open(new StorageOptions { FlushJournalBytes = 1 << 16 });
        var stop = false;
        var reads = 0L;
        await WriteAllAsync(0);
        var readers = Enumerable
            .Range(0, 2)
            .Select(_ => Task.Factory.StartNew(Read, TaskCreationOptions.LongRunning))
            .ToArray();
        for (byte round = 1; round < 60; round++)
            await WriteAllAsync(round);
        Volatile.Write(ref stop, true);
        await Task.WhenAll(readers);
        Assert.True(reads > 0);

        Task WriteAllAsync(byte round) =>
            environment.WriteAsync(transaction =>
            {
                var tree = transaction.CreateTree("t");
                for (var i = 0; i < Keys; i++)
                    tree.Put(Sorted[i], [round, .. new byte[100]]);
            });

        void Read()
        {
            using var reader = environment.BeginRead();
            var tree = reader.OpenTree("t");
            var last = 0;
            do
            {
                reader.Renew();
                Assert.True(tree.TryGet(Sorted[0], out var value));
                var round = value[0];
                Assert.True(round >= last, $"round {round} after {last}");
                last = round;
                for (var i = 1; i < Keys; i += 7)
                {
                    Assert.True(
                        tree.TryGet(Sorted[i], out value) && value[0] == round,
                        $"key {i} is not of round {round}"
                    );
                }

                reader.Reset();
                Interlocked.Increment(ref reads);
            } while (!Volatile.Read(ref stop));
        }
    }

    [Fact]
    public async Task Point_reads_snapshots_and_scan_steps_allocate_nothing()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await environment.WriteAsync(transaction =>
        {
            var tree = transaction.CreateTree("t");
            foreach (var key in Sorted)
                tree.Put(key, key);
            transaction.CreateTree("large").Put("a"u8, new byte[100_000]);
        });
        using var reader = environment.BeginRead();
        var tree = reader.OpenTree("t");
        var large = reader.OpenTree("large");
        Assert.True(tree.Depth > 1);
        using var cursor = tree.OpenCursor();
        var (reads, scan, other) = (long.MaxValue, long.MaxValue, long.MaxValue);
        for (byte round = 0; round < 4; round++)
        {
            // The minimum of several rounds: the runtime may also allocate when it compiles or collects, but the tested
            // code would in each round.
            var before = GC.GetAllocatedBytesForCurrentThread();
            var found = ReadAll();
            reads = Math.Min(reads, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.Equal(2 * Sorted.Length + 1, found);

            before = GC.GetAllocatedBytesForCurrentThread();
            var steps = Scan(cursor);
            scan = Math.Min(scan, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.Equal((2 * Sorted.Length) + round, steps);

            // Another snapshot, with other pages and other states of the trees.
            await PutAsync(environment, "t", [255, round], [1]);
            before = GC.GetAllocatedBytesForCurrentThread();
            reader.Renew();
            Assert.True(tree.Contains([255, round]));
            other = Math.Min(other, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal((0, 0, 0), (reads, scan, other));

        int ReadAll()
        {
            var count = 0;
            foreach (var key in Sorted)
            {
                reader.Renew();
                count += tree.TryGet(key, out var value) && value.SequenceEqual(key) ? 1 : 0;
                count += reader.OpenTree("t").Contains(key.AsSpan(1)) ? 0 : 1;
                reader.Reset();
            }

            reader.Renew();
            return count + (large.TryGet("a"u8, out var all) && all.Length == 100_000 ? 1 : 0);
        }
    }

    private static int Scan(TreeCursor cursor)
    {
        var count = 0;
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            count += cursor.Key.SequenceEqual(cursor.Value) ? 1 : 0;
        for (var more = cursor.SeekLast(); more; more = cursor.MovePrevious())
            count += cursor.Value.IsEmpty ? 0 : 1;
        return count;
    }

    private static Task<bool> PutAsync(StorageEnvironment environment, string tree, byte[] key, byte[] value) =>
        environment.WriteAsync(transaction => transaction.CreateTree(tree).Put(key, value));
}
