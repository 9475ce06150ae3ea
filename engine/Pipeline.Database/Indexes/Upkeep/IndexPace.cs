namespace Pipeline.Database.Indexes;

/// <summary>
/// Limits the time of a batch and lets writers go first. After each slice of work a batch waits until no write is in
/// progress, but not longer than
/// <see cref="IndexingOptions.MaxThrottle"/>, so under steady writes it gets about half of the time.
/// </summary>
internal sealed class IndexPace(IndexInstance index, BatchCounters counters)
{
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(10);
    private readonly long _started = index.Time.GetTimestamp();
    private long _slice = index.Time.GetTimestamp();

    /// <summary>Whether the batch has taken its time.</summary>
    public bool IsOver => index.Time.GetElapsedTime(_started) >= index.Options.MaxBatchTime;

    /// <summary>Whether a slice of work has been done.</summary>
    public bool IsDue => index.Time.GetElapsedTime(_slice) >= Slice;

    public async Task YieldAsync(CancellationToken ct)
    {
        if (index.Options.MaxThrottle > TimeSpan.Zero && index.Database.PendingWrites > 0)
        {
            var from = index.Time.GetTimestamp();
            using var end = CancellationTokenSource.CreateLinkedTokenSource(ct);
            var limit = Task.Delay(index.Options.MaxThrottle, index.Time, end.Token);
            await Task.WhenAny(index.Database.WritesDrained(), limit).ConfigureAwait(false);
            await end.CancelAsync().ConfigureAwait(false);
            counters.Throttled += index.Time.GetElapsedTime(from);
        }

        _slice = index.Time.GetTimestamp();
    }
}
