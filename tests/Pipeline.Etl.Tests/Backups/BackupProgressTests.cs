using System.Collections.Concurrent;
using System.Security.Cryptography;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.EtlKit.Backups;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>The progress of a backup moves with the bytes sent, also if it has only a few large contents.</summary>
public sealed class BackupProgressTests
{
    private static async Task<BackupFixture> FixtureAsync(
        MemoryDestination destination,
        int documents,
        TimeProvider time,
        long? bytesPerSecond
    )
    {
        var fixture = new BackupFixture(with: d =>
            d with
            {
                Parallel = 1,
                Compression = ChunkCompression.None,
                MaxBytesPerSecond = bytesPerSecond,
            }
        );
        fixture.Options = fixture.Options with { Wrap = _ => destination, Time = time };
        for (var i = 0; i < documents; i++)
            await fixture.PutAsync($"things/{i}", Convert.ToBase64String(RandomNumberGenerator.GetBytes(500_000)));
        fixture.Database.Storage.Flush();
        return fixture;
    }

    [Fact]
    public async Task A_throttled_backup_of_one_content_moves_evenly()
    {
        var (destination, time, seen) = (new MemoryDestination(), new ManualTimeProvider(), new Seen());
        await using var fixture = await FixtureAsync(destination, documents: 2, time, bytesPerSecond: 50_000);
        await using var runner = new BackupRunner(fixture.Definition, fixture.Database, fixture.Options);
        var run = runner.RunAsync(BackupKind.Full, seen);
        // The content is read, and then sent, before the clock moves.
        await seen.Second.Task.WaitAsync(TimeSpan.FromSeconds(30));
        while (!run.IsCompleted)
        {
            await Task.WhenAny(run, time.NextTimerAsync().AsTask());
            time.Advance(TimeSpan.FromSeconds(0.5));
        }

        Assert.True((await run).Succeeded);
        var shares = seen.Reports.Where(r => r.Total > 0).Select(r => (double)r.Done / r.Total).ToList();
        Assert.Equal(shares.Order(), shares);
        Assert.True(shares.Distinct().Count(s => s is > 0 and < 1) > 10, string.Join(' ', shares));
        Assert.Equal(1, shares[^1]);
    }

    [Fact]
    public async Task A_slow_destination_shows_each_content_once_it_is_there()
    {
        var (destination, seen) = (new MemoryDestination(), new Seen());
        // All contents fit into the buffers, so that they are read before the first is sent.
        await using var fixture = await FixtureAsync(destination, 10, TimeProvider.System, bytesPerSecond: null);
        var (chunks, late) = (0, 0);
        destination.Fault = (_, what) =>
        {
            if (!what.StartsWith("put chunks", StringComparison.Ordinal))
                return null;
            if (Interlocked.Increment(ref chunks) > 1 && !seen.Moved.Wait(TimeSpan.FromSeconds(30)))
                Interlocked.Increment(ref late);
            return null;
        };
        await using var runner = new BackupRunner(fixture.Definition, fixture.Database, fixture.Options);
        Assert.True((await runner.RunAsync(BackupKind.Full, seen)).Succeeded);
        Assert.True(chunks > 1, $"{chunks} chunks");
        Assert.Equal(0, late);
    }

    private sealed class Seen : IProgress<BackupProgress>
    {
        public ConcurrentQueue<BackupProgress> Reports { get; } = [];

        /// <summary>Set once some of the content, and not all, is done.</summary>
        public ManualResetEventSlim Moved { get; } = new();

        public TaskCompletionSource Second { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Report(BackupProgress value)
        {
            Reports.Enqueue(value);
            if (Reports.Count == 2)
                Second.TrySetResult();
            if (value.Done > 0 && value.Done < value.Total)
                Moved.Set();
        }
    }
}
