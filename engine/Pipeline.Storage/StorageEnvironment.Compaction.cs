namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>
    /// Makes the data file shorter: moves pages from its end to the gaps before them in small write transactions, then
    /// cuts it. Reads and writes continue during it; a write waits for at most one such transaction of about 1 MiB. One
    /// compaction runs at a time, further ones wait. After a stop by the token, a crash or closing, leaves the store as
    /// sound as before, and a part of the work done.
    /// </summary>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="progress">Told after each of the transactions.</param>
    /// <param name="ct">Stops it between two transactions.</param>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    /// <exception cref="StorageException">As for writes and flushes.</exception>
    public Task<CompactionReport> CompactAsync(
        CompactionOptions? options = null,
        IProgress<CompactionProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _compactor.RunAsync(options ?? new CompactionOptions(), progress, ct);
    }
}
