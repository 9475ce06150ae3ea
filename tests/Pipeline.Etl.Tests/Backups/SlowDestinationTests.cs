using System.Collections.Concurrent;
using System.Security.Cryptography;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Retention;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.EtlKit.Backups;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>
/// A slow destination or disk: how much memory a backup holds, which side waits for the other, and how a staging folder
/// changes that.
/// </summary>
public sealed class SlowDestinationTests
{
    private const int Parallel = 2;

    private static async Task<BackupFixture> FixtureAsync(
        MemoryDestination destination,
        Func<BackupDefinition, BackupFixture, BackupDefinition>? with = null
    )
    {
        var fixture = new BackupFixture(with: d =>
            d with
            {
                Parallel = Parallel,
                Compression = ChunkCompression.None,
                Retention = new RetentionPolicy(),
            }
        );
        fixture.Definition = with?.Invoke(fixture.Definition, fixture) ?? fixture.Definition;
        fixture.Options = fixture.Options with { Wrap = _ => destination };
        for (var i = 0; i < 60; i++)
            await fixture.PutAsync($"things/{i}", Convert.ToBase64String(RandomNumberGenerator.GetBytes(500_000)));
        fixture.Database.Storage.Flush();
        return fixture;
    }

    [Fact]
    public async Task Reading_waits_for_a_slow_destination_and_memory_stays_bounded()
    {
        var destination = new MemoryDestination();
        await using var fixture = await FixtureAsync(destination);
        var read = new ReadParts();
        var (sent, most) = (0, 0);
        destination.Fault = (_, what) =>
        {
            if (!what.StartsWith("put done chunks", StringComparison.Ordinal))
                return null;
            // Time enough for an unthrottled reader to get far ahead.
            Thread.Yield();
            lock (read)
                most = Math.Max(most, read.Count - sent++);
            return null;
        };
        await using var runner = new BackupRunner(fixture.Definition, fixture.Database, fixture.Options);
        Assert.True((await runner.RunAsync(BackupKind.Full, read)).Succeeded);
        Assert.True(sent > 8, $"{sent} chunks");
        Assert.InRange(most, 1, Parallel + 2);
    }

    [Fact]
    public async Task With_a_staging_folder_all_is_read_before_anything_is_sent_and_nothing_is_left_of_it()
    {
        var destination = new MemoryDestination();
        await using var fixture = await FixtureAsync(destination, (d, f) => d with { StagingFolder = f["staging"] });
        var read = new ReadParts();
        var atFirst = -1;
        var staged = 0;
        destination.Fault = (_, what) =>
        {
            if (
                what.StartsWith("put chunks", StringComparison.Ordinal)
                && Interlocked.CompareExchange(ref atFirst, read.Count, -1) == -1
            )
            {
                staged = Directory.GetFiles(fixture["staging"], "*", SearchOption.AllDirectories).Length;
            }

            return null;
        };
        await using (var runner = new BackupRunner(fixture.Definition, fixture.Database, fixture.Options))
            Assert.True((await runner.RunAsync(BackupKind.Full, read)).Succeeded);
        Assert.Equal(read.Count, atFirst);
        Assert.Equal(read.Count, staged);
        Assert.Empty(Directory.GetFiles(fixture["staging"], "*", SearchOption.AllDirectories));

        await fixture.PutAsync("things/1", "changed");
        await fixture.BackUpAsync(BackupKind.Incremental);
        await fixture.RestoreAsync("again");
        await using var restored = fixture.Open("again", new StorageOptions());
        Assert.Equal(BackupFixture.Fingerprint(fixture.Database), BackupFixture.Fingerprint(restored));
    }

    [Fact]
    public async Task Killed_while_it_sends_what_was_staged_it_does_not_send_that_again()
    {
        var destination = new MemoryDestination();
        await using var fixture = await FixtureAsync(destination, (d, f) => d with { StagingFolder = f["staging"] });
        var puts = 0;
        destination.Fault = (_, what) =>
            what.StartsWith("put done chunks", StringComparison.Ordinal) && Interlocked.Increment(ref puts) == 5
                ? new SimulatedCrash()
                : null;
        await Assert.ThrowsAsync<SimulatedCrash>(() => fixture.RunAsync(BackupKind.Full));
        var sent = destination
            .Objects.Where(o => o.Key.StartsWith("chunks/", StringComparison.Ordinal))
            .Sum(o => (long)o.Value.Length);
        Assert.True(sent > 15 << 20);
        destination.Fault = static (_, _) => null;
        await using (var repository = await fixture.RepositoryAsync())
            Assert.Empty(await repository.ListAsync(e => throw e, default));
        var backup = await fixture.BackUpAsync(BackupKind.Full);
        Assert.True(
            backup.SentBytes <= backup.StoredBytes - sent + (5 << 20),
            $"{backup.SentBytes} of {backup.StoredBytes} bytes were sent, {sent} were there"
        );
        await fixture.RestoreAsync("again", new RestorePoint { Backup = backup.Id });
    }

    [Fact]
    public async Task A_staging_folder_that_cannot_be_used_fails_the_backup_with_its_name()
    {
        var destination = new MemoryDestination();
        await using var fixture = await FixtureAsync(destination, (d, f) => d with { StagingFolder = f["file"] });
        await File.WriteAllTextAsync(fixture["file"], "no folder");
        var report = await fixture.RunAsync();
        Assert.Contains(
            fixture["file"],
            Assert.IsType<DestinationException>(report.Destinations[0].Error).Message,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain(destination.Objects.Keys, k => k.StartsWith("manifests/", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Reading_pauses_while_the_journal_is_slow_but_not_for_ever()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "slow",
                Path = "/slow",
                Files = disk,
                TimeProvider = time,
                Storage = new StorageOptions { Files = disk, TimeProvider = time },
            }
        );
        await database.PutAsync("things/1", "{}"u8.ToArray());
        time.Advance(TimeSpan.FromSeconds(5));
        var quick = new ReadThrottle(null, TimeSpan.FromMilliseconds(10), database.Storage, time);
        Assert.True(quick.WaitAsync(1, static () => { }, default).IsCompletedSuccessfully);

        disk.Fault = e =>
        {
            if (e.Kind == DiskEventKind.Sync)
                time.Advance(TimeSpan.FromMilliseconds(40));
            return null;
        };
        await database.PutAsync("things/2", "{}"u8.ToArray());
        var throttle = new ReadThrottle(null, TimeSpan.FromMilliseconds(10), database.Storage, time);
        var wait = throttle.WaitAsync(1, static () => { }, default);
        Assert.False(wait.IsCompleted);
        while (!wait.IsCompleted)
        {
            await Task.WhenAny(wait, time.NextTimerAsync().AsTask());
            time.Advance(TimeSpan.FromMilliseconds(50));
        }

        await wait;
        Assert.InRange(throttle.Paused, TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(1));
    }

    [Fact]
    public async Task No_more_than_the_given_bytes_are_read_in_a_second()
    {
        var time = new ManualTimeProvider();
        using var storage = StorageEnvironment.Open(new StorageOptions());
        var throttle = new ReadThrottle(1_000_000, null, storage, time);
        var allowed = new List<long>();
        Assert.True(throttle.WaitAsync(0, Report, default).IsCompletedSuccessfully);
        var wait = throttle.WaitAsync(4_000_000, Report, default);
        for (var i = 0; i < 8; i++)
        {
            Assert.False(wait.IsCompleted);
            time.Advance(await time.NextTimerAsync());
        }

        await wait;
        Assert.Equal([500_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000], allowed);

        void Report() => allowed.Add(throttle.AllowedBytes);
    }

    private sealed class ReadParts : IProgress<BackupProgress>
    {
        private readonly ConcurrentDictionary<long, bool> _read = [];

        public int Count => _read.Count;

        public void Report(BackupProgress value)
        {
            if (value.Read > 0)
                _read.TryAdd(value.Read, true);
        }
    }
}
