using System.Buffers.Binary;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Tests.Storage.Transactions;

public sealed class BlockingWriteTests
{
    private const int Threads = 8;
    private const int Each = 300;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Each_of_many_threads_sees_its_own_writes_in_order_and_only_its_own_errors(bool memory)
    {
        using var folder = new TempFolder();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = memory ? null : folder.Path });
        var refused = new int[Threads];
        var threads = Enumerable.Range(0, Threads).Select(t => new Thread(() =>
        {
            for (var i = 1; i <= Each; i++)
            {
                if (i % 50 == 0)
                {
                    var message = $"{t} at {i}";
                    Assert.Equal(message, Assert.Throws<InvalidDataException>(() => environment.Write<int>(_ => throw new InvalidDataException(message))).Message);
                    refused[t]++;
                }
                Assert.Equal(i, environment.Write(transaction => Next(transaction, t)));
            }
        })).ToArray();
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
    public void What_returned_survives_a_crash_and_what_was_not_durable_is_thrown()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(new StorageOptions { Path = "/db", Files = disk }))
        {
            Assert.Equal(1, environment.Write(t => Next(t, 0)));
            disk.Fault = e => e.Kind == DiskEventKind.Sync ? new IOException("the disk says no") : null;
            Assert.Contains("the disk says no", Assert.Throws<StorageFailedException>(() => environment.Write(t => Next(t, 0))).Message, StringComparison.Ordinal);
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

    private static int Next(WriteTransaction transaction, int counter)
    {
        var tree = transaction.CreateTree("counters");
        var next = (tree.TryGet([(byte)counter], out var value) ? BinaryPrimitives.ReadInt32LittleEndian(value) : 0) + 1;
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, next);
        tree.Put([(byte)counter], bytes);
        return next;
    }
}
