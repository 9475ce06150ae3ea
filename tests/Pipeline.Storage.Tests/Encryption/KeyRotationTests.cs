using System.Text;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Encryption;

public sealed class KeyRotationTests
{
    private static readonly StorageEncryption First = new() { Key = Enumerable.Repeat((byte)1, 32).ToArray() };
    private static readonly StorageEncryption Second = new() { Key = Enumerable.Repeat((byte)2, 32).ToArray() };

    private static StorageOptions Options(SimulatedDisk disk, StorageEncryption encryption) =>
        new()
        {
            Path = "/store",
            Files = disk,
            Encryption = encryption,
            Deterministic = true,
            MaxDataFileBytes = 64 << 20,
            InitialJournalFileBytes = 64 << 10,
            FlushInterval = TimeSpan.FromHours(10),
            MaxReaders = 16,
        };

    private static byte[] Value(int i) => Enumerable.Repeat((byte)i, i % 20 == 0 ? 9000 + i : 100 + i).ToArray();

    private static Task FillAsync(StorageEnvironment environment, int from, int to) =>
        environment.WriteAsync(t =>
        {
            for (var i = from; i < to; i++)
                t.CreateTree("tree" + (i % 3)).Put(Encoding.UTF8.GetBytes($"{i:d6}"), Value(i));
        });

    private static string? Difference(StorageEnvironment environment, int count)
    {
        using var read = environment.BeginRead();
        for (var i = 0; i < count; i++)
        {
            if (
                !read.OpenTree("tree" + (i % 3)).TryGet(Encoding.UTF8.GetBytes($"{i:d6}"), out var value)
                || !value.SequenceEqual(Value(i))
            )
            {
                return $"item {i} is missing or another";
            }
        }
        var report = StorageChecker.Check(environment);
        return report.IsSound ? null : string.Join("; ", report.Problems);
    }

    [Fact]
    public async Task A_new_user_key_opens_the_store_and_the_former_one_no_longer_does()
    {
        var disk = new SimulatedDisk();
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
        {
            await FillAsync(environment, 0, 100);
            environment.ChangeKey(Second);
            await FillAsync(environment, 100, 150);
        }
        Assert.Throws<WrongKeyException>(() => StorageEnvironment.Open(Options(disk, First)));
        using var again = StorageEnvironment.Open(Options(disk, Second));
        Assert.Null(Difference(again, 150));
    }

    [Fact]
    public async Task A_new_data_key_reaches_every_page_beside_writers_and_readers()
    {
        var disk = new SimulatedDisk(record: false);
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
        {
            await FillAsync(environment, 0, 600);
            environment.Flush();
            var rotation = environment.RotateDataKeyAsync();
            for (var i = 600; i < 700; i += 10)
                await FillAsync(environment, i, i + 10);
            await rotation;
            var statistics = environment.GetStatistics();
            Assert.Equal(2, statistics.DataKeyGeneration);
            Assert.False(statistics.IsDataKeyChanging);
            Assert.Null(Difference(environment, 700));
        }
        using var again = StorageEnvironment.Open(Options(disk, First));
        Assert.Null(Difference(again, 700));
        await again.RotateDataKeyAsync();
        Assert.Equal(3, again.GetStatistics().DataKeyGeneration);
        Assert.Null(Difference(again, 700));
    }

    [Fact]
    public async Task A_reader_from_before_delays_the_end_of_the_former_key_until_it_is_done()
    {
        var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(Options(disk, First));
        await FillAsync(environment, 0, 200);
        environment.Flush();
        var reader = environment.BeginRead();
        var rotation = environment.RotateDataKeyAsync();
        await FillAsync(environment, 200, 220);
        Assert.False(rotation.IsCompleted);
        Assert.True(reader.OpenTree("tree1").TryGet("000100"u8, out var value) && value.SequenceEqual(Value(100)));
        reader.Dispose();
        await rotation;
        Assert.Null(Difference(environment, 220));
    }

    [Fact]
    public async Task A_crash_at_every_step_of_both_rotations_leaves_a_store_that_opens_whole_and_goes_on()
    {
        var disk = new SimulatedDisk();
        int before,
            between;
        using (var environment = StorageEnvironment.Open(Options(disk, First)))
        {
            await FillAsync(environment, 0, 120);
            environment.Flush();
            before = disk.Log.Count;
            await environment.RotateDataKeyAsync();
            between = disk.Log.Count;
            environment.ChangeKey(Second);
        }
        var log = disk.Log;
        var replay = new CrashReplay();
        var (crashes, withTwo) = (0, 0);
        for (var i = 0; i < log.Count; i++)
        {
            replay.Apply(log[i]);
            if (i < before)
                continue;
            foreach (var mode in new[] { CrashMode.LoseAll, CrashMode.KeepAll, CrashMode.Mix, CrashMode.Mix })
            {
                var left = replay.Crash(new Random((i * 7) + crashes), mode);
                var where = $"crash after event {i} ({log[i]}), {mode}";
                using var again = Open(left, i < between, where);
                Assert.True(Difference(again, 120) is not { } difference, where);
                if (again.GetStatistics().IsDataKeyChanging)
                    withTwo++;
                await again.RotateDataKeyAsync();
                Assert.True(Difference(again, 120) is null, where);
                Assert.False(again.GetStatistics().IsDataKeyChanging);
                crashes++;
            }
        }
        Assert.True(crashes > 30 && withTwo > 5, $"{crashes} crashes, {withTwo} with two keys");
    }

    private static StorageEnvironment Open(SimulatedDisk disk, bool firstOnly, string where)
    {
        try
        {
            return StorageEnvironment.Open(Options(disk, First));
        }
        catch (WrongKeyException)
        {
            Assert.False(firstOnly, where);
            return StorageEnvironment.Open(Options(disk, Second));
        }
    }
}
