namespace Pipeline.Server.Operations;

/// <summary>A file that is being sent. Thread-safe; one thread sends.</summary>
/// <param name="total">The number of documents or results that it will have.</param>
internal sealed class Download(long total) : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private long _written;
    private volatile string? _error;
    private volatile DownloadStatus _status = DownloadStatus.Running;

    /// <summary>The number of documents or results that it will have, as counted before the first one.</summary>
    public long Total { get; } = total;

    /// <summary>How many are written.</summary>
    public long Written
    {
        get => Volatile.Read(ref _written);
        set => Volatile.Write(ref _written, value);
    }

    /// <summary>Its state.</summary>
    public DownloadStatus Status => _status;

    /// <summary>Why it failed; null if it did not.</summary>
    public string? Error => _error;

    /// <summary>Cancelled when someone cancels the download.</summary>
    public CancellationToken Stopping => _stop.Token;

    /// <summary>Cancels it; does nothing if it has ended.</summary>
    public void Stop()
    {
        if (Status == DownloadStatus.Running)
            _stop.Cancel();
    }

    /// <summary>Sets the final state.</summary>
    public void End(DownloadStatus status, string? error = null) => (_error, _status) = (error, status);

    /// <summary>Disposes an ended download.</summary>
    public void Dispose() => _stop.Dispose();
}
