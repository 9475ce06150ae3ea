using System.Buffers.Binary;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

public sealed class BlockingWriteTests
{
    private const int Threads = 8;
    private const int Each = 300;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Each_of_many_threads_sees_its_own_writes_in_order_and_only_its_own_errors(bool memory)
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = memory ? null : folder.Path });
        var refused = new int[Threads];
        var threads = Enumerable
            .Range(0, Threads)
            .Select(t => new Thread(() =>
            {
                for (var i = 1; i <= Each; i++)
                {
                    if (i % 50 == 0)
                    {
                        var message = $"{t} at {i}";
                        Assert.Equal(
                            message,
                            Assert
                                .Throws<InvalidDataException>(() =>
                                    environment.Write<int>(_ => throw new InvalidDataException(message))
                                )
                                .Message
                        );
                        refused[t]++;
                    }
                    Assert.Equal(i, environment.Write(transaction => Next(transaction, t)));
                }
            }))
            .ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        Assert.All(refused, n => Assert.Equal(Each / 50, n));
        using var read = environment.BeginRead();
        for (var t = 0; t < Threads; t++)
        {
            Assert.True(read.OpenTree("counters").TryGet([(byte)t], out var value));
            Assert.Equal(Each, BinaryPrimitives.ReadInt32LittleEndian(value));
        }
    }

    [Fact]
    public void Threads_that_come_back_at_once_share_a_transaction()
    {
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/db",
                Files = new SimulatedDisk(record: false),
                ReturnTimeout = TimeSpan.FromMilliseconds(200),
            }
        );
        using var others = new CountdownEvent(Threads - 1);
        var threads = Enumerable
            .Range(0, Threads)
            .Select(t => new Thread(() =>
            {
                if (t > 0)
                    others.Signal();
                for (var i = 1; i <= Each; i++)
                {
                    environment.Write(transaction =>
                    {
                        // Else the first would be done before the last has begun.
                        others.Wait();
                        return Next(transaction, t);
                    });
                }
            }))
            .ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        // Two groups that take turns would have half of them each.
        Assert.InRange(environment.GetStatistics().Transactions, Each, Threads * Each / 6);
    }

    [Fact]
    public void What_returned_survives_a_crash_and_what_was_not_durable_is_thrown()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk }))
        {
            Assert.Equal(1, environment.Write(t => Next(t, 0)));
            disk.Fault = e => e.Kind == DiskEventKind.Sync ? new IOException("the disk says no") : null;
            Assert.Contains(
                "the disk says no",
                Assert.Throws<StorageFailedException>(() => environment.Write(t => Next(t, 0))).Message,
                StringComparison.Ordinal
            );
            Assert.Throws<StorageFailedException>(() => environment.Write(t => Next(t, 0)));
        }
        disk.Fault = null;
        using var again = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk });
        Assert.InRange(again.Write(t => Next(t, 0)), 2, 3);
    }

    [Fact]
    public void A_cancelled_one_is_not_run_and_a_closed_store_refuses()
    {
        var environment = StorageEnvironment.Open(new StorageOptions());
        using var stop = new CancellationTokenSource();
        stop.Cancel();
        Assert.Throws<OperationCanceledException>(() => environment.Write(t => Next(t, 0), stop.Token));
        Assert.Equal(1, environment.Write(t => Next(t, 0)));
        environment.Dispose();
        Assert.Throws<ObjectDisposedException>(() => environment.Write(t => Next(t, 0)));
    }

    [Fact]
    public async Task What_a_thread_hands_over_runs_in_its_order_whether_it_blocks_or_not()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions { MaxQueuedOperations = 16 });
        await Task.WhenAll(
            Enumerable
                .Range(0, 4)
                .Select(t =>
                    Task.Run(async () =>
                    {
                        for (var i = 0; i < 1000; i += 4)
                        {
                            var tasks = Enumerable
                                .Range(0, 3)
                                .Select(_ => environment.WriteAsync(transaction => Next(transaction, t)))
                                .ToArray();
                            Assert.Equal(i + 4, environment.Write(transaction => Next(transaction, t)));
                            Assert.Equal([i + 1, i + 2, i + 3], await Task.WhenAll(tasks));
                        }
                    })
                )
        );
    }

    [Fact]
    public void Closing_waits_for_those_who_block_and_refuses_who_come_later()
    {
        for (var round = 0; round < 20; round++)
        {
            var disk = new SimulatedDisk();
            var environment = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk });
            var acknowledged = new int[4];
            using var begun = new CountdownEvent(acknowledged.Length);
            var threads = Enumerable
                .Range(0, acknowledged.Length)
                .Select(t => new Thread(() =>
                {
                    try
                    {
                        while (true)
                        {
                            acknowledged[t] = environment.Write(transaction => Next(transaction, t));
                            if (acknowledged[t] == 1)
                                begun.Signal();
                        }
                    }
                    catch (ObjectDisposedException)
                    {
                        // The test is about this: it is how the store says that it is closed.
                    }
                }))
                .ToArray();
            foreach (var thread in threads)
                thread.Start();
            begun.Wait();
            environment.Dispose();
            foreach (var thread in threads)
                thread.Join();
            using var again = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk });
            for (var t = 0; t < acknowledged.Length; t++)
                Assert.Equal(acknowledged[t] + 1, again.Write(transaction => Next(transaction, t)));
        }
    }

    private static int Next(WriteTransaction transaction, int counter)
    {
        var tree = transaction.CreateTree("counters");
        var next =
            (tree.TryGet([(byte)counter], out var value) ? BinaryPrimitives.ReadInt32LittleEndian(value) : 0) + 1;
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, next);
        tree.Put([(byte)counter], bytes);
        return next;
    }
}
