using System.IO.Pipelines;
using Pipeline.Cluster.Tests.Driver;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Refill;

/// <summary>A node without a store, or with an unusable one, copies a peer and resumes from the log.</summary>
public sealed class RefillTests : IDisposable
{
    private readonly CancellationTokenSource _late = new(TimeSpan.FromSeconds(60));
    private readonly List<SimulatedDisk> _disks = [];

    private CancellationToken Late => _late.Token;

    public void Dispose()
    {
        _disks.ForEach(d => d.Dispose());
        _late.Dispose();
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_new_node_is_filled_while_writes_go_on_and_follows_a_log_that_was_trimmed(
        bool encryptsSource,
        bool encryptsTarget
    )
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster([], _ => log);
        cluster.Add(new DriverMember("n1", log, options: Member(encryptsSource ? Key(1) : null)));
        for (var i = 0; i < 100; i++)
            await cluster.WriteAsync(i, Late);
        var source = cluster["n1"];
        await TrimAsync(source, log);
        var options = Member(encryptsTarget ? Key(2) : null);
        Assert.Equal(RefillNeed.NoStore, await Refills.FindNeedAsync(options, log, Late));

        using var stop = new CancellationTokenSource();
        var writing = WriteUntilAsync(cluster, stop.Token);
        var position = await FillAsync(source, options);
        await stop.CancelAsync();
        await writing;
        Assert.True(position.State.Transaction > 100);
        Assert.Equal(RefillNeed.None, await Refills.FindNeedAsync(options, log, Late));

        var filled = new DriverMember("n2", log, options: options);
        Assert.NotEqual(source.Store.StoreId, filled.Store.StoreId);
        Assert.Equal(position.State.Transaction - 1, filled.Store.LastCommittedTransaction);
        Assert.Empty(source.Store.LogHolds);
        cluster.Add(filled);
        for (var i = 2000; i < 2020; i++)
            await cluster.WriteAsync(i, Late);
        await cluster.EqualAsync(Late);
        Assert.True(StorageChecker.Check(filled.Store).IsSound);
    }

    [Fact]
    public async Task Stores_beside_come_along_and_old_files_are_gone()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(["n1"], _ => log);
        await cluster.WriteAsync(1, Late);
        var source = cluster["n1"];
        using var index = StorageEnvironment.Open(Member(null) with { Path = "/node/indexes/A-1", IsReplica = false });
        await index.WriteAsync(t => t.CreateTree("terms").Put("a"u8, "b"u8));
        var options = Member(null);
        await using (var old = new DriverMember("n2", new MemoryLog(), options: options))
        {
            old.Driver.Start();
            await old.Driver.WaitAsync(s => s.TakesWrites, Late);
            for (var i = 0; i < 9; i++)
                await old.Store.WriteAsync(t => t.CreateTree("foreign").Put("a"u8, "b"u8), Late);
        }

        await FillAsync(source, options, new CopiedStore("indexes/A-1", index));
        cluster.Add(new DriverMember("n2", log, options: options));
        await cluster.WriteAsync(2, Late);
        await cluster.EqualAsync(Late);
        using var copy = StorageEnvironment.Open(options with { Path = "/node/indexes/A-1", IsReplica = false });
        using var left = index.BeginRead();
        using var right = copy.BeginRead();
        Assert.Null(StoreEquality.FindDifference(left, right));
        Assert.NotEqual(index.StoreId, copy.StoreId);
    }

    [Fact]
    public async Task A_copy_that_ends_anywhere_leaves_no_store_and_the_next_one_begins_anew()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(["n1"], _ => log);
        for (var i = 0; i < 20; i++)
            await cluster.WriteAsync(i, Late);
        var copy = await CopyAsync(cluster["n1"]);
        var options = Member(null);
        foreach (var end in Cuts(copy.Length))
        {
            var cut = await Record.ExceptionAsync(() =>
                CopyStream.ReceiveAsync(new MemoryStream(copy[..end]), options, ct: Late)
            );
            Assert.IsType<CopyDamagedException>(cut);
            if (end < CopyFrame.HeaderBytes + 4)
                continue;
            Assert.Throws<UnfinishedRestoreException>(() => StorageEnvironment.Open(options));
            Assert.Equal(RefillNeed.Unfinished, await Refills.FindNeedAsync(options, log, Late));
        }

        await CopyStream.ReceiveAsync(new MemoryStream(copy), options, ct: Late);
        cluster.Add(new DriverMember("n2", log, options: options));
        await cluster.WriteAsync(21, Late);
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task A_flipped_bit_anywhere_is_found()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(["n1"], _ => log);
        await cluster.WriteAsync(1, Late);
        var copy = await CopyAsync(cluster["n1"]);
        var options = Member(null);
        var random = new Random(1);
        for (var i = 0; i < 300; i++)
        {
            var damaged = copy.ToArray();
            damaged[i < 150 ? random.Next(400) : random.Next(copy.Length)] ^= (byte)(1 << random.Next(8));
            var found = await Record.ExceptionAsync(() =>
                CopyStream.ReceiveAsync(new MemoryStream(damaged), options, ct: Late)
            );
            Assert.IsType<CopyDamagedException>(found);
            Assert.False(options.Files!.Exists("/node/pipeline.data"));
        }
    }

    [Fact]
    public async Task A_damaged_page_is_found_though_its_frame_is_whole()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(["n1"], _ => log);
        await cluster.WriteAsync(1, Late);
        var copy = await CopyAsync(cluster["n1"]);
        CopyDamage.DamagePage(copy, new Random(1));
        var options = Member(null);
        await Assert.ThrowsAsync<CorruptPageException>(() =>
            CopyStream.ReceiveAsync(new MemoryStream(copy), options, ct: Late)
        );
        Assert.False(options.Files!.Exists("/node/pipeline.data"));
    }

    [Fact]
    public async Task A_copy_during_which_too_much_is_written_ends_and_says_why_and_the_next_one_succeeds()
    {
        const int Limit = 1 << 20;
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster([], _ => log);
        var small = Member(null) with
        {
            MaxHeldJournalBytes = Limit,
            MaxJournalFileBytes = 1 << 18,
            InitialJournalFileBytes = 1 << 18,
            FlushJournalBytes = 1 << 18,
        };
        cluster.Add(new DriverMember("n1", log, options: small));
        await cluster.WriteAsync(1, Late);
        var (source, options) = (cluster["n1"], Member(null));

        // The sender waits until the receiver reads.
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1));
        await using var input = pipe.Reader.AsStream();
        var sending = SendAsync(source, pipe.Writer.AsStream());
        Assert.NotEmpty(source.Store.LogHolds);
        var value = new byte[50_000];
        for (var i = 0; source.Store.LogHolds.Count > 0; i++)
        {
            new Random(i).NextBytes(value);
            await source.Store.WriteAsync(t => t.CreateTree("much").Put(BitConverter.GetBytes(i % 9), value), Late);
            source.Store.Flush();
        }
        Assert.True(source.Store.HeldLogBytes <= Limit);
        var received = await Record.ExceptionAsync(() => CopyStream.ReceiveAsync(input, options, ct: Late));
        var overrun = await Assert.ThrowsAsync<CopyOverrunException>(() => sending);
        var failed = Assert.IsType<CopyFailedException>(received);
        Assert.Equal(overrun.Message, failed.Reason);
        Assert.Contains("more than 1048576 bytes of journal were written", failed.Reason, StringComparison.Ordinal);
        Assert.Throws<UnfinishedRestoreException>(() => StorageEnvironment.Open(options));

        await FillAsync(source, options);
        Assert.Empty(source.Store.LogHolds);
        cluster.Add(new DriverMember("n2", log, options: options));
        await cluster.WriteAsync(2, Late);
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task A_store_that_is_open_is_not_removed()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster([], _ => log);
        var options = Member(null);
        cluster.Add(new DriverMember("n1", log, options: options));
        await cluster.WriteAsync(1, Late);
        var copy = await CopyAsync(cluster["n1"]);
        await Assert.ThrowsAsync<StoreInUseException>(() =>
            CopyStream.ReceiveAsync(new MemoryStream(copy), options, ct: Late)
        );
        Assert.Equal(2, await cluster.WriteAsync(2, Late));
    }

    [Theory]
    [InlineData("../other")]
    [InlineData("/etc")]
    [InlineData("indexes/../..")]
    [InlineData("indexes//a")]
    [InlineData("indexes/a\n")]
    [InlineData("a\\b")]
    [InlineData("")]
    public void A_folder_that_leaves_the_node_is_refused(string folder) => Assert.False(CopiedStore.IsFolder(folder));

    [Fact]
    public async Task A_crash_at_any_moment_of_a_refill_leaves_no_store_or_the_whole_one()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(["n1"], _ => log);
        for (var i = 0; i < 30; i++)
            await cluster.WriteAsync(i, Late);
        var copy = await CopyAsync(cluster["n1"]);
        using var expected = cluster["n1"].Store.BeginRead();
        using var disk = new SimulatedDisk();
        var options = SimulatedStore.Options(disk) with { IsReplica = true, Threadless = true };
        // A store of another past, further on than the copy: nothing of it may come back with the new position.
        using (var old = StorageEnvironment.Open(options))
        using (var file = PositionFile.Open(disk, options.Path!))
        {
            old.Flush();
            file.Save(ReadPosition.Start with { Place = 5000 });
        }
        disk.Mark(1);
        var position = await CopyStream.ReceiveAsync(new MemoryStream(copy), options, ct: Late);
        disk.Mark(2);

        using var replay = new CrashReplay();
        var random = new Random(1);
        var (refused, whole, empty) = (0, 0, 0);
        foreach (var happening in disk.Log)
        {
            replay.Apply(happening);
            if (replay.LastMark < 1)
                continue;
            for (var i = 0; i < 4; i++)
            {
                using var crashed = replay.Crash(random, i == 0 ? CrashMode.LoseAll : CrashMode.Mix);
                StorageEnvironment store;
                try
                {
                    store = StorageEnvironment.Open(options with { Files = crashed });
                }
                catch (UnfinishedRestoreException)
                {
                    Assert.NotEqual(2, replay.LastMark);
                    refused++;
                    continue;
                }
                using (store)
                using (var file = PositionFile.Open(crashed, options.Path!))
                {
                    using var snapshot = store.BeginRead();
                    if (snapshot.Id == 0)
                    {
                        // The old store, or none: it knows nothing, and says nothing else.
                        Assert.NotEqual(2, replay.LastMark);
                        empty++;
                        continue;
                    }
                    Assert.Null(StoreEquality.FindDifference(expected, snapshot));
                    Assert.Equal(position, file.Position);
                    whole++;
                }
            }
        }
        Assert.True(refused > 20 && whole > 0 && empty > 0, $"{refused} refused, {whole} whole, {empty} empty");
    }

    private StorageOptions Member(StorageEncryption? key)
    {
        var disk = new SimulatedDisk(record: false);
        _disks.Add(disk);
        return DriverMember.Options(disk, key);
    }

    private static StorageEncryption Key(int first) =>
        new() { Key = Enumerable.Range(first, 32).Select(i => (byte)i).ToArray(), MaxPlainBytes = 1 << 20 };

    private static IEnumerable<int> Cuts(int length)
    {
        for (var i = 0; i < 100; i++)
            yield return i;
        for (var i = 100; i < length; i += Math.Max(1, length / 60))
            yield return i;
        yield return length - 1;
    }

    private async Task SendAsync(DriverMember source, Stream target)
    {
        await using (target)
            await CopyStream.SendAsync(source.Copy(), target, ct: Late);
    }

    private static async Task<byte[]> CopyAsync(DriverMember source)
    {
        using var copy = new MemoryStream();
        await CopyStream.SendAsync(source.Copy(), copy);
        return copy.ToArray();
    }

    /// <summary>Trims the log to where the node has all on its disk.</summary>
    private async Task TrimAsync(DriverMember member, MemoryLog log)
    {
        member.Store.Flush();
        while (member.Driver.KeptPlace < 50)
        {
            Late.ThrowIfCancellationRequested();
            await Task.Yield();
        }
        await log.TrimAsync(member.Driver.KeptPlace - 1, Late);
    }

    private async Task<ReadPosition> FillAsync(
        DriverMember source,
        StorageOptions options,
        params IReadOnlyList<CopiedStore> beside
    )
    {
        var pipe = new Pipe();
        await using var output = pipe.Writer.AsStream();
        await using var input = pipe.Reader.AsStream();
        var sending = CopyStream.SendAsync(source.Copy(beside), output, ct: Late);
        var received = await CopyStream.ReceiveAsync(input, options, ct: Late);
        Assert.Equal(await sending, received);
        return received;
    }

    private async Task WriteUntilAsync(DriverCluster cluster, CancellationToken stop)
    {
        for (var i = 1000; !stop.IsCancellationRequested && i < 1900; i++)
            await cluster.WriteAsync(i, Late);
    }
}
