using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// Throttles reading: to a number of bytes per second, and while journal writes exceed the latency limit. Used by one
/// thread.
/// </summary>
internal sealed class ReadThrottle(
    long? bytesPerSecond,
    TimeSpan? maxLatency,
    StorageEnvironment environment,
    TimeProvider time
)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan BetweenReports = TimeSpan.FromMilliseconds(500);
    private readonly long _started = time.GetTimestamp();
    private long _bytes;

    /// <summary>How long reading paused because writes were slow.</summary>
    public TimeSpan Paused { get; private set; }

    /// <summary>The bytes that the limit has allowed since the start; without a limit, any number. Thread-safe.</summary>
    public long AllowedBytes =>
        bytesPerSecond is { } most ? (long)(most * time.GetElapsedTime(_started).TotalSeconds) : long.MaxValue;

    /// <summary>Waits until that many more bytes may be read.</summary>
    /// <param name="bytes">The bytes that were read.</param>
    /// <param name="report">Called every 500 ms while the limit of bytes per second is waited for.</param>
    /// <param name="ct">Cancels the wait.</param>
    public async Task WaitAsync(int bytes, Action report, CancellationToken ct)
    {
        _bytes += bytes;
        if (bytesPerSecond is { } most)
        {
            // A timer counts whole milliseconds, so a shorter wait would not wait at all.
            while (
                TimeSpan.FromSeconds((double)_bytes / most) - time.GetElapsedTime(_started) is var due
                && due >= TimeSpan.FromMilliseconds(1)
            )
            {
                await Task.Delay(due < BetweenReports ? due : BetweenReports, time, ct).ConfigureAwait(false);
                report();
            }
        }
        if (maxLatency is not { } limit)
            return;
        // The pause is limited, since a backup that never ends is useless.
        for (
            var paused = TimeSpan.Zero;
            paused < LongestPause && Latency() is { } latency && latency > limit;
            paused += Pause
        )
        {
            await Task.Delay(Pause, time, ct).ConfigureAwait(false);
            Paused += Pause;
        }
    }

    /// <summary>The mean time of the journal's syncs in the last second; null if there were none.</summary>
    private TimeSpan? Latency()
    {
        var since = time.GetUtcNow() - TimeSpan.FromSeconds(1);
        var recent = environment
            .GetIoStatistics()
            .First(s => s.Kind == IoKind.JournalSync)
            .Recent.Where(o => o.EndedAt >= since)
            .ToList();
        return recent.Count == 0 ? null : TimeSpan.FromTicks((long)recent.Average(o => o.Duration.Ticks));
    }
}
