using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>Holds reading back: to a number of bytes a second, and while writes to the journal take longer than they should. Used by one thread.</summary>
internal sealed class ReadThrottle(long? bytesPerSecond, TimeSpan? maxLatency, StorageEnvironment environment, TimeProvider time)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);
    private readonly long _started = time.GetTimestamp();
    private long _bytes;

    /// <summary>How long reading was held back because writes were slow.</summary>
    public TimeSpan Paused { get; private set; }

    /// <summary>Returns when so many more bytes may be read.</summary>
    public async Task WaitAsync(int bytes, CancellationToken ct)
    {
        _bytes += bytes;
        if (bytesPerSecond is { } most)
        {
            var due = TimeSpan.FromSeconds((double)_bytes / most) - time.GetElapsedTime(_started);
            if (due > TimeSpan.Zero)
                await Task.Delay(due, time, ct).ConfigureAwait(false);
        }
        if (maxLatency is not { } limit)
            return;
        // Never for ever: a backup that does not end is none.
        for (var paused = TimeSpan.Zero; paused < LongestPause && Latency() is { } latency && latency > limit; paused += Pause)
        {
            await Task.Delay(Pause, time, ct).ConfigureAwait(false);
            Paused += Pause;
        }
    }

    /// <summary>The mean time of the journal's syncs of the last second; null where there were none.</summary>
    private TimeSpan? Latency()
    {
        var since = time.GetUtcNow() - TimeSpan.FromSeconds(1);
        var recent = environment.GetIoStatistics().First(s => s.Kind == IoKind.JournalSync).Recent.Where(o => o.EndedAt >= since).ToList();
        return recent.Count == 0 ? null : TimeSpan.FromTicks((long)recent.Average(o => o.Duration.Ticks));
    }
}
