namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    private readonly Scrubber? _scrubber;

    /// <summary>
    /// Verifies that every page in use lies in the data file as it was written, beside readers and writers: checksum, for an encrypted store the
    /// authentication tag, number, layout. Pages whose newest version is in memory only will be written anew and do not count. The
    /// snapshot is let go of every few MiB, so that nothing is held back. What is found is in the report, <see cref="GetStatistics"/>, the log
    /// and the metrics; a damaged page that had been verified before is verified again by its next reader, who gets the error.
    /// </summary>
    /// <remarks>
    /// What the system keeps of the file in memory is what is verified: damage under pages that it still has there is found after it has dropped them.
    /// One scrub runs at a time: one that runs by <see cref="StorageOptions.ScrubInterval"/> ends for this one, any other is waited for.
    /// </remarks>
    /// <param name="options">The rate; null for no limit.</param>
    /// <param name="progress">Told after each few MiB, on the scrub's thread.</param>
    /// <param name="ct">Ends the scrub; what it has found stays in the statistics until the next.</param>
    /// <exception cref="ObjectDisposedException">The environment is closed, or was closed meanwhile.</exception>
    /// <exception cref="InvalidOperationException">As many readers as allowed are open.</exception>
    /// <exception cref="ReaderExpiredException">A limit on readers is so low that it met the scrub's.</exception>
    public Task<ScrubReport> ScrubAsync(ScrubOptions? options = null, IProgress<ScrubProgress>? progress = null, CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        if (options?.BytesPerSecond is { } rate)
            ArgumentOutOfRangeException.ThrowIfLessThan(rate, 1, "options.BytesPerSecond");
        return (_scrubber ?? throw new InvalidOperationException("An environment without threads is not scrubbed.")).RunAsync(options ?? new ScrubOptions(), progress, ct);
    }
}
