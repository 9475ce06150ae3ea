using System.Text;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

public sealed class EnvironmentTests
{
    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"key/{i:d8}");

    private static byte[] Value(int i, int length = 100) =>
        Enumerable.Range(0, length).Select(j => (byte)((i * 31) + j)).ToArray();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_written_is_read_by_later_snapshots_and_not_by_earlier_ones(bool memory)
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = memory ? null : folder.Path });
        await environment.WriteAsync(t => t.CreateTree("a").Put(Key(1), Value(1)));
        using var before = environment.BeginRead();
        await environment.WriteAsync(t =>
        {
            t.OpenTree("a").Put(Key(1), Value(2));
            t.OpenTree("a").Put(Key(2), Value(3));
        });
        using var after = environment.BeginRead();
        environment.Flush();
        Assert.True(before.OpenTree("a").TryGet(Key(1), out var value));
        Assert.True(value.SequenceEqual(Value(1)));
        Assert.False(before.OpenTree("a").TryGet(Key(2), out _));
        Assert.True(after.OpenTree("a").TryGet(Key(1), out value));
        Assert.True(value.SequenceEqual(Value(2)));
        Assert.True(after.OpenTree("a").TryGet(Key(2), out _));
        Assert.Equal(environment.LastCommittedTransaction, after.Id);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_is_found_as_it_was_after_close_and_reopen(bool flushOften)
    {
        using var folder = new TestFolder();
        var options = new StorageOptions { Path = folder.Path, FlushJournalBytes = flushOften ? 1 << 16 : 64 << 20 };
        for (var round = 0; round < 4; round++)
        {
            using var environment = StorageEnvironment.Open(options);
            using (var read = environment.BeginRead())
            {
                if (round > 0)
                    Assert.Equal(round * 500, read.OpenTree("t").Count);
                for (var i = 0; i < round * 500; i++)
                {
                    Assert.True(read.OpenTree("t").TryGet(Key(i), out var value));
                    Assert.True(value.SequenceEqual(Value(i, 50 + (i % 37 == 0 ? 20000 : 0))));
                }
            }
            for (var i = round * 500; i < (round + 1) * 500; i += 10)
            {
                var start = i;
                await environment.WriteAsync(t =>
                {
                    var tree = t.CreateTree("t");
                    for (var j = start; j < start + 10; j++)
                        tree.Put(Key(j), Value(j, 50 + (j % 37 == 0 ? 20000 : 0)));
                });
            }
        }
    }

    [Fact]
    public async Task An_operation_that_throws_fails_alone_and_is_rolled_back()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        await environment.WriteAsync(t => t.CreateTree("t"));
        var tasks = Enumerable
            .Range(0, 200)
            .Select(i =>
                environment.WriteAsync(t =>
                {
                    var tree = t.OpenTree("t");
                    tree.Put(Key(i), Value(i));
                    if (i % 7 == 0)
                        throw new InvalidDataException($"no {i}");
                    return tree.Count;
                })
            )
            .ToArray();
        for (var i = 0; i < tasks.Length; i++)
        {
            if (i % 7 == 0)
                Assert.Equal($"no {i}", (await Assert.ThrowsAsync<InvalidDataException>(() => tasks[i])).Message);
            else
                await tasks[i];
        }
        using var read = environment.BeginRead();
        Assert.Equal(tasks.Length - tasks.Count(t => t.IsFaulted), read.OpenTree("t").Count);
        for (var i = 0; i < tasks.Length; i++)
            Assert.Equal(i % 7 != 0, read.OpenTree("t").TryGet(Key(i), out _));
    }

    [Fact]
    public async Task A_transaction_over_the_limit_is_refused_and_others_go_on()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions { MaxTransactionBytes = 256 << 10 });
        var large = environment.WriteAsync(t => t.CreateTree("t").Put(Key(1), new byte[300 << 10]));
        var small = environment.WriteAsync(t => t.CreateTree("t").Put(Key(2), new byte[30 << 10]));
        var error = await Assert.ThrowsAsync<TransactionTooLargeException>(() => large);
        Assert.Equal(256 << 10, error.Limit);
        Assert.True(await small);
        using var read = environment.BeginRead();
        Assert.Equal(1, read.OpenTree("t").Count);
    }

    [Fact]
    public async Task A_cancelled_operation_is_not_run()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            environment.WriteAsync(t => t.CreateTree("t"), stop.Token)
        );
        using var read = environment.BeginRead();
        Assert.Empty(read.TreeNames());
    }

    [Fact]
    public async Task Freed_pages_are_used_again()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        var largest = 0L;
        for (var round = 0; round < 20; round++)
        {
            await environment.WriteAsync(t =>
            {
                var tree = t.CreateTree("t");
                for (var i = 0; i < 100; i++)
                    tree.Put(Key(i), Value(i, 10000));
            });
            await environment.WriteAsync(t => t.DropTree("t"));
            environment.Flush();
            if (round == 2)
                largest = environment.GetStatistics().PageCount;
        }
        Assert.Equal(largest, environment.GetStatistics().PageCount);
        Assert.True(environment.GetStatistics().FreePages > 190, environment.GetStatistics().ToString());
    }

    [Fact]
    public async Task A_closed_environment_refuses_and_open_readers_keep_their_snapshot()
    {
        using var folder = new TestFolder();
        var environment = StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
        await environment.WriteAsync(t => t.CreateTree("t").Put(Key(1), Value(1)));
        var read = environment.BeginRead();
        environment.Dispose();
        Assert.Throws<ObjectDisposedException>(() => environment.BeginRead());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => environment.WriteAsync(t => t.CreateTree("u")));
        Assert.True(read.OpenTree("t").TryGet(Key(1), out var value));
        Assert.True(value.SequenceEqual(Value(1)));
        Assert.Throws<StoreInUseException>(() => StorageEnvironment.Open(new StorageOptions { Path = folder.Path }));
        read.Dispose();
        using var again = StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
        Assert.Equal(1, again.LastCommittedTransaction);
    }

    [Fact]
    public async Task A_clean_close_leaves_no_more_than_the_pages_in_use()
    {
        using var folder = new TestFolder();
        using (
            var environment = StorageEnvironment.Open(
                new StorageOptions
                {
                    Path = folder.Path,
                    MaxMergedBytes = 1 << 16,
                    JournalCompression = JournalCompression.Off,
                }
            )
        )
        {
            for (var i = 0; i < 200; i++)
                await environment.WriteAsync(t => t.CreateTree("t").Put(Key(i), Value(i, 20000)));
            environment.Flush();
            Assert.True(environment.GetStatistics().JournalBytesWritten > 4_000_000);
        }
        var journal = Assert.Single(Directory.GetFiles(Path.Combine(folder.Path, "journal"), "*.journal"));
        Assert.Equal(JournalLayout.Block, new FileInfo(journal).Length);
        using var again = StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
        Assert.Equal(again.GetStatistics().PageCount * PageLayout.PageSize, again.GetStatistics().DataFileBytes);
        Assert.True(StorageChecker.Check(again).IsSound);
    }

    [Fact]
    public async Task What_is_committed_is_flushed_after_the_interval()
    {
        var time = new ManualTime();
        using var environment = StorageEnvironment.Open(
            new StorageOptions { TimeProvider = time, FlushInterval = TimeSpan.FromSeconds(5) }
        );
        await environment.WriteAsync(t => t.CreateTree("t").Put(Key(1), Value(1)));
        Assert.Equal(0, environment.GetStatistics().CheckpointTransaction);
        Assert.Equal(TimeSpan.FromSeconds(5), time.Period);
        time.Tick();
        Assert.True(
            SpinWait.SpinUntil(() => environment.GetStatistics().CheckpointTransaction == 1, TimeSpan.FromSeconds(30))
        );
    }

    private sealed class ManualTime : TimeProvider
    {
        private Action _tick = () => { };

        public TimeSpan Period { get; private set; }

        public void Tick() => _tick();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _tick = () => callback(state);
            Period = period;
            return new Idle();
        }

        private sealed class Idle : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose() { }

            public ValueTask DisposeAsync() => default;
        }
    }

    [Fact]
    public void A_second_opening_is_refused_and_names_the_holder()
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
        var error = Assert.Throws<StoreInUseException>(() =>
            StorageEnvironment.Open(new StorageOptions { Path = folder.Path })
        );
        Assert.Contains($"process {Environment.ProcessId} ", error.Message, StringComparison.Ordinal);
        Assert.Contains(Environment.MachineName, error.Holder, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_of_a_newer_format_is_refused()
    {
        using var folder = new TestFolder();
        using (var environment = StorageEnvironment.Open(new StorageOptions { Path = folder.Path }))
            await environment.WriteAsync(t => t.CreateTree("t"));
        var data = Path.Combine(folder.Path, "pipeline.data");
        var bytes = await File.ReadAllBytesAsync(data);
        Promote(bytes, 0);
        Promote(bytes, 1);
        await File.WriteAllBytesAsync(data, bytes);
        var error = Assert.Throws<NewerFormatException>(() =>
            StorageEnvironment.Open(new StorageOptions { Path = folder.Path })
        );
        Assert.Equal((9, 2), (error.Found, error.Supported));
        Assert.Equal(bytes, await File.ReadAllBytesAsync(data));
    }

    private static unsafe void Promote(byte[] bytes, int page)
    {
        fixed (byte* start = bytes)
        {
            var meta = start + (page * PageLayout.PageSize);
            *(int*)(meta + 72) = 9;
            PageLayout.Checksum(meta) = PageChecksum.Compute(meta, page, 1);
        }
    }

    [Fact]
    public async Task Committed_is_raised_in_order_and_survives_handlers_that_throw()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        var seen = new List<long>();
        environment.Committed += id =>
        {
            seen.Add(id);
            throw new InvalidOperationException("handler");
        };
        for (var i = 0; i < 5; i++)
            await environment.WriteAsync(t => t.CreateTree("t").Put(Key(i), Value(i)));
        environment.Dispose();
        Assert.Equal([1L, 2, 3, 4, 5], seen);
    }
}
