using System.IO.Pipelines;
using Pipeline.Cluster;
using Pipeline.Storage;
using ReadPosition = Pipeline.Cluster.ReadPosition;

namespace Pipeline.Benchmarks.Storage;

/// <summary>
/// How fast a node is filled from a peer's pages: read, verified, sent through a pipe of this process, verified again,
/// written and synced. Source and target share the machine and its disk.
/// </summary>
internal static class RefillBenchmarks
{
    private const int ValueBytes = 1000;

    public static async Task RunAsync(string folder, int mebibytes)
    {
        var path = Path.Combine(folder, "source");
        Folders.Wipe(path);
        var entries = new List<byte[]>();
        using var source = StorageEnvironment.Open(new StorageOptions { Path = path, IsReplica = true });
        using (new DelayedLog(source, TimeSpan.Zero))
            Fill(source, mebibytes);
        source.Flush();
        await FillAsync(source, folder, "", encryption: null); // So that the code is compiled.
        await FillAsync(source, folder, "quiet", encryption: null);
        var key = new StorageEncryption { Key = Enumerable.Range(1, 32).Select(i => (byte)i).ToArray() };
        await FillAsync(source, folder, "encrypted-target", key);
        // Each entry from here on is kept, so that the copy can be brought to the source's end and compared.
        using var log = new DelayedLog(source, TimeSpan.Zero, entries);
        using var stop = new CancellationTokenSource();
        var writing = Task.Run(() => WriteAsync(source, stop.Token));
        await FillAsync(
            source,
            folder,
            "while-written",
            encryption: null,
            async () =>
            {
                await stop.CancelAsync();
                await writing;
                return entries;
            }
        );
    }

    private static void Fill(StorageEnvironment store, int mebibytes)
    {
        var random = new Random(1);
        var value = new byte[ValueBytes];
        const int Batch = 4000;
        var count = (int)((long)mebibytes * (1 << 20) / (ValueBytes + 150));
        for (var from = 0; from < count; from += Batch)
        {
            store.Write(transaction =>
            {
                var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                for (var i = from; i < Math.Min(from + Batch, count); i++)
                {
                    random.NextBytes(value);
                    tree.Put(BitConverter.GetBytes(System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(i)), value);
                }
                return true;
            });
        }
    }

    private static async Task WriteAsync(StorageEnvironment store, CancellationToken stop)
    {
        var random = new Random(2);
        var value = new byte[ValueBytes];
        while (!stop.IsCancellationRequested)
        {
            await store.WriteAsync(
                transaction =>
                {
                    var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                    random.NextBytes(value);
                    for (var i = 0; i < 10; i++)
                        tree.Put(BitConverter.GetBytes(random.Next()), value);
                    return true;
                },
                CancellationToken.None
            );
        }
    }

    private static async Task FillAsync(
        StorageEnvironment source,
        string folder,
        string peer,
        StorageEncryption? encryption,
        Func<Task<List<byte[]>>>? ended = null
    )
    {
        var path = Path.Combine(folder, "target");
        Folders.Wipe(path);
        var options = new StorageOptions
        {
            Path = path,
            IsReplica = true,
            Encryption = encryption,
        };
        var before = source.LastCommittedTransaction;
        var clock = new Clock();
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 16 << 20, resumeWriterThreshold: 8 << 20));
        await using (var output = pipe.Writer.AsStream())
        await using (var input = pipe.Reader.AsStream())
        {
            var sending = CopyStream.SendAsync(
                new CopySource(source, [], _ => ValueTask.FromResult(HereOf(source)), "benchmark"),
                output
            );
            await CopyStream.ReceiveAsync(input, options);
            await sending;
        }
        var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
        using var target = StorageEnvironment.Open(options);
        if (ended is not null)
        {
            foreach (var entry in await ended())
            {
                if (LogEntry.TransactionOf(entry) > target.LastCommittedTransaction)
                    target.Apply(entry);
            }
        }
        using var left = source.BeginRead();
        using var right = target.BeginRead();
        if (StoreEquality.FindDifference(left, right) is { } difference)
            throw new BenchmarkException($"refill {peer}: page {difference.Page} differs: {difference.Reason}");
        var mebibytes = (left.LogState.PageCount - left.LogState.FreePages) * 8192.0 / (1 << 20);
        if (peer.Length == 0)
            return;
        Report.Figure("refill", peer, "size", mebibytes, "MiB");
        Report.Figure("refill", peer, "rate", mebibytes / seconds, "MiB/s");
        Report.Figure("refill", peer, "cpu", cpu, "s");
        if (ended is not null)
            Report.Figure("refill", peer, "transactions-meanwhile", source.LastCommittedTransaction - before, "n");
    }

    private static CopyPoint HereOf(StorageEnvironment store)
    {
        using var snapshot = store.BeginRead("refill");
        return new CopyPoint(
            ReadPosition.Start with
            {
                State = AutomatonState.Start with { Transaction = snapshot.Id + 1 },
            },
            snapshot.LogPosition,
            snapshot.LogState
        );
    }
}
