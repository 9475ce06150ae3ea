using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A long reader on kernels whose memory pages are of 4, 16 or 64 KiB; the simulated files emulate what mprotect and
/// madvise do there.
/// </summary>
public sealed class SystemPageTests
{
    [Theory]
    [InlineData(4096)]
    [InlineData(16384)]
    [InlineData(65536)]
    public Task A_long_reader_sees_its_snapshot(int systemPageBytes) => ReadAsync(systemPageBytes, StorageFaults.None);

    [Fact]
    public async Task Freezing_beyond_a_page_is_found()
    {
        // Larger ones seldom begin where a range does, and are refused by the system then.
        const int systemPageBytes = 16384;
        for (var keys = 20; keys < 600; keys += 6)
        {
            Assert.Null(await Record.ExceptionAsync(() => GrowAsync(keys, systemPageBytes, StorageFaults.None)));
            if (
                await Record.ExceptionAsync(() => GrowAsync(keys, systemPageBytes, StorageFaults.FreezeBeyondPages))
                is not null
            )
            {
                return;
            }
        }
        Assert.Fail("not found");
    }

    /// <summary>The last page that a reader knows is changed, then the store grows behind it.</summary>
    private static async Task GrowAsync(int keys, int systemPageBytes, StorageFaults faults)
    {
        using var disk = new SimulatedDisk(record: false) { SystemPageBytes = systemPageBytes };
        using var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, faults));
        for (var i = 0; i < keys; i++)
            await environment.WriteAsync(t => t.CreateTree("t").Put(Key(i), Value(1)));
        environment.Flush();
        using var old = environment.BeginRead();
        await environment.WriteAsync(t => t.OpenTree("t").Put(Key(keys - 1), Value(2)));
        environment.Flush();
        for (var i = keys; i < keys + 60; i++)
            await environment.WriteAsync(t => t.OpenTree("t").Put(Key(i), Value(3)));
        environment.Flush();
        using var read = environment.BeginRead();
        for (var i = 0; i < keys + 60; i++)
        {
            Assert.True(
                read.OpenTree("t").TryGet(Key(i), out var value)
                    && value.SequenceEqual(
                        Value(
                            i < keys - 1 ? 1
                            : i < keys ? 2
                            : 3
                        )
                    ),
                $"key {i}"
            );
        }
    }

    private static async Task ReadAsync(int systemPageBytes, StorageFaults faults)
    {
        using var disk = new SimulatedDisk(record: false) { SystemPageBytes = systemPageBytes };
        using var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, faults));
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

    private static Task PutAllAsync(StorageEnvironment environment, int version) =>
        environment.WriteAsync(t =>
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
            Assert.True(
                tree.TryGet(Key(i), out var value) && value.SequenceEqual(Value(expected)),
                $"key {i} of the reader after version {held.Version}"
            );
        }
    }
}
