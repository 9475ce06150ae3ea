using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>
/// However long a reader is open, recovery has a bounded amount of journal to read, in bytes and in seconds.
/// </summary>
public sealed class UnflushedJournalTests
{
    [Fact]
    public async Task Bytes_stay_within_the_limit_under_a_long_reader()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            Options(disk) with
            {
                FlushJournalBytes = 1L << 30,
                MaxUnflushedJournalBytes = 256 << 10,
            }
        );
        await PutAsync(environment, 0, 20_000);
        using var reader = environment.BeginRead("report");
        for (var i = 0; i < 100; i++)
        {
            await PutAsync(environment, i % 7, 20_000);
            Assert.InRange(environment.GetStatistics().UnflushedJournalBytes, 0, (256 << 10) + 40_000);
            Assert.InRange(Assert.Single(environment.GetReaders()).HeldJournalBytes, 0, (256 << 10) + 40_000);
        }
        Assert.InRange(disk.List("/store/journal", ".journal").Count, 1, 12);
        Assert.True(environment.GetStatistics().CheckpointTransaction > reader.Id + 50);
        Assert.Equal(1, reader.OpenTree("t").Count);
    }

    [Fact]
    public async Task Seconds_stay_within_the_limit_under_a_long_reader()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            Options(disk) with
            {
                TimeProvider = time,
                FlushInterval = TimeSpan.FromHours(10),
            }
        );
        await PutAsync(environment, 0, 100);
        using var reader = environment.BeginRead("report");
        await PutAsync(environment, 1, 100);
        time.Advance(TimeSpan.FromSeconds(29));
        await PutAsync(environment, 2, 100);
        Assert.Equal(0, environment.GetStatistics().CheckpointTransaction);
        time.Advance(TimeSpan.FromSeconds(2));
        await PutAsync(environment, 3, 100);
        Assert.Equal(3, environment.GetStatistics().CheckpointTransaction);
        Assert.Equal(1, reader.OpenTree("t").Count);
    }

    [Fact]
    public async Task Where_what_the_reader_needs_does_not_fit_in_memory_writes_are_refused_naming_it()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            Options(disk) with
            {
                MaxUnflushedJournalBytes = 256 << 10,
                MaxScratchBytes = 700 << 10,
            }
        );
        await PutAsync(environment, 0, 400_000);
        environment.Flush();
        var reader = environment.BeginRead("report");
        var error = await Assert.ThrowsAsync<ScratchFullException>(async () =>
        {
            for (var i = 0; i < 100; i++)
                await PutAsync(environment, 0, 400_000 - i);
        });
        Assert.Equal(("report", reader.Id), (error.ReaderOwner, error.ReaderTransaction));
        Assert.Contains("'report'", error.Message);
        Assert.True(reader.OpenTree("t").TryGet([0], out var value));
        Assert.Equal(400_000, value.Length);
        reader.Dispose();
        await PutAsync(environment, 1, 10_000);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    private static StorageOptions Options(SimulatedDisk disk) =>
        new()
        {
            Path = "/store",
            Files = disk,
            MaxDataFileBytes = 1 << 30,
            InitialJournalFileBytes = 64 << 10,
            MaxJournalFileBytes = 128 << 10,
        };

    private static Task<bool> PutAsync(StorageEnvironment environment, int key, int length)
    {
        var value = new byte[length];
        new Random((key * 31) + length).NextBytes(value);
        return environment.WriteAsync(t => t.CreateTree("t").Put([(byte)key], value));
    }
}
