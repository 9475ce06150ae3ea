namespace Pipeline.Backups.Running;

/// <summary>
/// Reports how much content a full backup has processed: as contents are read and sent, and while the throttle waits.
/// Thread-safe.
/// </summary>
/// <param name="progress">Receives the progress; null to report nothing.</param>
/// <param name="total">Bytes of content that are expected.</param>
/// <param name="sender">Sends the contents.</param>
/// <param name="targets">Where they are sent.</param>
/// <param name="throttle">Limits the reading.</param>
internal sealed class ContentProgress(
    IProgress<BackupProgress>? progress,
    long total,
    ChunkSender sender,
    IReadOnlyList<BackupTarget> targets,
    ReadThrottle throttle
)
{
    private readonly Lock _gate = new();
    private long _read;
    private long _done;

    /// <summary>Reports a content that was read.</summary>
    /// <param name="bytes">Its length.</param>
    public void Add(int bytes)
    {
        lock (_gate)
            _read += bytes;
        Report();
    }

    /// <summary>
    /// Reports the current state. A content counts when it is sent; with a limit of bytes per second, as far as the
    /// limit allows it, so that a few large contents still give an even progress.
    /// </summary>
    public void Report()
    {
        lock (_gate)
        {
            _done = Math.Max(_done, Math.Min(sender.DoneBytes, throttle.AllowedBytes));
            Report(_done, Math.Max(total, _read));
        }
    }

    /// <summary>Reports that everything was sent.</summary>
    public void Complete()
    {
        lock (_gate)
            Report(sender.DoneBytes, sender.DoneBytes);
    }

    private void Report(long done, long all) =>
        progress?.Report(new BackupProgress("backing up", done, all, targets.Sum(t => t.SentBytes)) { Read = _read });
}
