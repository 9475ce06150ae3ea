using System.Text;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Encryption;

public sealed class EncryptedStoreTests
{
    private const string Marker = "plaintext-marker-7f3a";
    private static readonly StorageEncryption First = Key(1);
    private static readonly StorageEncryption Second = Key(2);

    private static StorageEncryption Key(byte with) =>
        new() { Key = Enumerable.Repeat(with, 32).ToArray(), MaxPlainBytes = 1 << 20 };

    private static StorageOptions Options(SimulatedDisk disk, StorageEncryption? encryption) =>
        new()
        {
            Path = "/store",
            Files = disk,
            Encryption = encryption,
            Deterministic = true,
            MaxDataFileBytes = 256 << 20,
            FlushInterval = TimeSpan.FromHours(10),
            MaxReaders = 16,
        };

    private static byte[] Value(int i) =>
        Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat($"{Marker}/{i}/", i % 25 == 0 ? 800 : 4)));

    private static Task FillAsync(StorageEnvironment environment, int from, int to) =>
        environment.WriteAsync(t =>
        {
            var tree = t.CreateTree("tree-" + Marker);
            for (var i = from; i < to; i++)
                tree.Put(Encoding.UTF8.GetBytes($"{Marker}-{i:d6}"), Value(i));
        });

    private static void Verify(StorageEnvironment environment, int count)
    {
        using var read = environment.BeginRead();
        var tree = read.OpenTree("tree-" + Marker);
        Assert.Equal(count, tree.Count);
        for (var i = 0; i < count; i++)
        {
            Assert.True(
                tree.TryGet(Encoding.UTF8.GetBytes($"{Marker}-{i:d6}"), out var value) && value.SequenceEqual(Value(i)),
                $"item {i}"
            );
        }

        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    private static void AssertNoMarker(SimulatedDisk disk)
    {
        foreach (var path in disk.Paths)
            Assert.True(disk.Get(path).AsSpan().IndexOf("intext-mark"u8) < 0, $"{path} holds plain text");
    }

    [Fact]
    public async Task What_was_written_is_read_again_and_no_file_ever_holds_it_in_plain()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
        {
            for (var i = 0; i < 400; i += 50)
            {
                await FillAsync(environment, i, i + 50);
                if (i % 100 == 0)
                    environment.Flush();
                AssertNoMarker(disk);
            }
            Verify(environment, 400);
        }
        AssertNoMarker(disk);
        foreach (var happening in disk.Log)
            Assert.True(happening.Bytes.AsSpan().IndexOf("intext-mark"u8) < 0, $"{happening} is plain");
        using var again = StorageEnvironment.Open(Options(disk, First));
        Verify(again, 400);
        await FillAsync(again, 400, 500);
        Verify(again, 500);
    }

    [Fact]
    public async Task The_scan_for_plain_text_would_find_it_in_a_plain_store()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(Options(disk, null)))
            await FillAsync(environment, 0, 50);
        Assert.Contains(disk.Log, e => e.Bytes.AsSpan().IndexOf("intext-mark"u8) >= 0);
    }

    [Fact]
    public async Task Another_key_no_key_and_a_needless_key_are_told_apart_and_change_nothing()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
            await FillAsync(environment, 0, 50);
        var before = disk.Paths.ToDictionary(p => p, disk.Get);
        Assert.Equal(
            "the given bytes",
            Assert.Throws<WrongKeyException>(() => StorageEnvironment.Open(Options(disk, Second))).KeySource
        );
        Assert.True(
            Assert.Throws<EncryptionMismatchException>(() => StorageEnvironment.Open(Options(disk, null))).IsEncrypted
        );
        Assert.All(before, f => Assert.Equal(f.Value, disk.Get(f.Key)));
        using (var again = StorageEnvironment.Open(Options(disk, First)))
            Verify(again, 50);

        var plain = new SimulatedDisk();
        StorageEnvironment.Open(Options(plain, null)).Dispose();
        Assert.False(
            Assert.Throws<EncryptionMismatchException>(() => StorageEnvironment.Open(Options(plain, First))).IsEncrypted
        );
        using var opened = StorageEnvironment.Open(Options(plain, null));
        Assert.Throws<EncryptionMismatchException>(() => opened.ChangeKey(First));
    }

    [Theory]
    [InlineData(0L)]
    [InlineData(40_000L)]
    public async Task With_no_room_for_shared_pages_transactions_hold_their_own_and_give_them_back(long most)
    {
        var disk = new SimulatedDisk(record: false);
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
            await FillAsync(environment, 0, 400);
        using var again = StorageEnvironment.Open(Options(disk, First with { MaxPlainBytes = most }));
        var long1 = again.BeginRead();
        AssertHas(long1);
        Verify(again, 400);
        await FillAsync(again, 400, 420);
        Verify(again, 420);
        again.Flush();
        Verify(again, 420);
        AssertHas(long1);
        long1.Dispose();
        Verify(again, 420);
        Assert.InRange(again.GetStatistics().PlainPageBytes, 0, most);
    }

    private static void AssertHas(ReadTransaction read) =>
        Assert.True(
            read.OpenTree("tree-" + Marker).TryGet(Encoding.UTF8.GetBytes($"{Marker}-000025"), out var value)
                && value.SequenceEqual(Value(25))
        );

    [Fact]
    public async Task Readers_beside_a_writer_and_flushes_see_their_snapshots_through_a_small_cache()
    {
        var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            Options(disk, First with { MaxPlainBytes = 200_000 }) with
            {
                FlushJournalBytes = 64 << 10,
                MaxReaders = 64,
            }
        );
        await FillAsync(environment, 0, 300);
        environment.Flush();
        using var stop = new CancellationTokenSource();
        var readers = Enumerable
            .Range(0, 3)
            .Select(n =>
                Task.Run(() =>
                {
                    var random = new Random(n);
                    var reads = 0;
                    while (!stop.IsCancellationRequested || reads == 0)
                    {
                        using var read = environment.BeginRead();
                        var tree = read.OpenTree("tree-" + Marker);
                        var stamp = default(byte[]);
                        for (var i = 0; i < 20; i++, reads++)
                        {
                            Assert.True(
                                tree.TryGet(Encoding.UTF8.GetBytes($"{Marker}-{random.Next(300):d6}"), out var value)
                            );
                            Assert.Contains(Marker, Encoding.UTF8.GetString(value), StringComparison.Ordinal);
                            if (tree.TryGet("a-stamp"u8, out var a))
                                stamp ??= a.ToArray();
                            if (tree.TryGet("z-stamp"u8, out var z))
                                Assert.Equal(stamp, z.ToArray());
                        }
                    }
                    return reads;
                })
            )
            .ToList();
        for (var i = 0; i < 300; i++)
        {
            var text = BitConverter.GetBytes(i);
            await environment.WriteAsync(t =>
            {
                var tree = t.OpenTree("tree-" + Marker);
                tree.Put("a-stamp"u8, text);
                tree.Put("z-stamp"u8, text);
                tree.Put(Encoding.UTF8.GetBytes($"{Marker}-{i % 300:d6}"), Value(i % 300));
            });
            if (i % 20 == 0)
                environment.Flush();
        }
        await stop.CancelAsync();
        Assert.All(await Task.WhenAll(readers), n => Assert.True(n > 0));
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task A_store_in_memory_can_be_encrypted_too()
    {
        using var environment = StorageEnvironment.Open(
            new StorageOptions { Encryption = First, MaxDataFileBytes = 256 << 20 }
        );
        await FillAsync(environment, 0, 100);
        environment.Flush();
        Verify(environment, 100);
    }
}
