namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    private readonly Scrubber? _scrubber;

    /// <summary>
    /// Verifies, while readers and writers continue, that every page in use is in the data file as written. It checks
    /// checksum, number and layout, and in an encrypted store the authentication tag. Pages whose newest version is
    /// only in memory will be rewritten and do not count. The scrub renews its snapshot every few MiB, so that it holds
    /// nothing back. Damage appears in the report, <see cref="GetStatistics"/>, the log and the metrics. A damaged page
    /// is verified again by its next reader, who gets the error.
    /// </summary>
    /// <remarks>
    /// The scrub reads through the system's file cache: damage under a page that is still cached is found only after
    /// the system has dropped it. One scrub runs at a time: this one ends a scrub started by
    /// <see cref="StorageOptions.ScrubInterval"/> and waits for any other.
    /// </remarks>
    /// <param name="options">The rate; null for no limit.</param>
    /// <param name="progress">Told after each few MiB, on the scrub's thread.</param>
    /// <param name="ct">Ends the scrub; its findings stay in the statistics until the next.</param>
    /// <exception cref="ObjectDisposedException">The environment is closed, or was closed during the scrub.</exception>
    /// <exception cref="InvalidOperationException">As many readers as allowed are open.</exception>
    /// <exception cref="ReaderExpiredException">A limit on readers is so low that the scrub exceeded it.</exception>
    public Task<ScrubReport> ScrubAsync(
        ScrubOptions? options = null,
        IProgress<ScrubProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        if (options?.BytesPerSecond is { } rate)
            ArgumentOutOfRangeException.ThrowIfLessThan(rate, 1, "options.BytesPerSecond");
        return (
            _scrubber ?? throw new InvalidOperationException("An environment without threads cannot be scrubbed.")
        ).RunAsync(options ?? new ScrubOptions(), progress, ct);
    }
}
