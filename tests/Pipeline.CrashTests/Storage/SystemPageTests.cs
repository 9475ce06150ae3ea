using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>A long reader on kernels whose memory pages are of 4, 16 or 64 KiB; the simulated files emulate what mprotect and madvise do there.</summary>
public sealed class SystemPageTests
{
    [Theory]
    [InlineData(4096)]
    [InlineData(16384)]
    [InlineData(65536)]
    public async Task A_long_reader_sees_its_snapshot(int systemPageBytes)
    {
        using var disk = new SimulatedDisk(record: false) { SystemPageBytes = systemPageBytes };
        using var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None));
        await PutAllAsync(environment, 1);
        environment.Flush();
        var readers = new List<(ReadTransaction Reader, int Version)>();
        for (var version = 2; version < 12; version++)
        {
            readers.Add((environment.BeginRead(), version - 1));
            await environment.WriteAsync(t =>
            {
                for (var i = version; i < 300; i += 7)
                    t.OpenTree("t").Put(Key(i), Value(version));
            });
            environment.Flush();
            Assert.Null(environment.Failure);
            if (version % 3 == 0)
            {
                Compare(readers[0]);
                readers[0].Reader.Dispose();
                readers.RemoveAt(0);
            }
        }
        foreach (var reader in readers)
            Compare(reader);
        readers.ForEach(r => r.Reader.Dispose());
        environment.Flush();
        Assert.Null(environment.Failure);
        Assert.Equal(0, environment.GetStatistics().UnflushedJournalBytes);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"{i:d5}");

    private static byte[] Value(int version) => [.. Enumerable.Repeat((byte)version, 400)];

    private static Task PutAllAsync(StorageEnvironment environment, int version) => environment.WriteAsync(t =>
    {
        for (var i = 0; i < 300; i++)
            t.CreateTree("t").Put(Key(i), Value(version));
    });

    private static void Compare((ReadTransaction Reader, int Version) held)
    {
        var tree = held.Reader.OpenTree("t");
        for (var i = 0; i < 300; i++)
        {
            var expected = 1;
            for (var version = 2; version <= held.Version; version++)
            {
                if (i >= version && (i - version) % 7 == 0)
                    expected = version;
            }
            Assert.True(tree.TryGet(Key(i), out var value) && value.SequenceEqual(Value(expected)), $"key {i} of the reader after version {held.Version}");
        }
    }
}
