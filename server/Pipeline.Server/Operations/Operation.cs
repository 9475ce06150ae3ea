namespace Pipeline.Server.Operations;

/// <summary>An operation's state.</summary>
internal enum OperationStatus
{
    InProgress,
    Completed,
    Faulted,
    Canceled,
}

/// <summary>An operation that continues after its request was answered. Thread-safe.</summary>
internal sealed class Operation(long id, TimeProvider time, Action<Operation> progressed) : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private static readonly TimeSpan TellInterval = TimeSpan.FromSeconds(1);
    private long _total;
    private long _processed;
    private volatile OperationStatus _status;
    private long _told = time.GetTimestamp();

    /// <summary>Its number in its database.</summary>
    public long Id { get; } = id;

    /// <summary>
    /// Its state. Whoever has read the final one then reads the final <see cref="Progress"/> and <see cref="Error"/>.
    /// </summary>
    public OperationStatus Status => _status;

    /// <summary>Why it failed.</summary>
    public Exception? Error { get; private set; }

    /// <summary>Cancelled when someone stops the operation.</summary>
    public CancellationToken Stopping => _stop.Token;

    /// <summary>The background task; null if a request runs it.</summary>
    public Task? Work { get; set; }

    /// <summary>The number of documents to process, if known, and of processed documents.</summary>
    public (long Total, long Processed) Progress
    {
        get => (Volatile.Read(ref _total), Volatile.Read(ref _processed));
        set
        {
            Volatile.Write(ref _total, value.Total);
            Volatile.Write(ref _processed, value.Processed);
            if (time.GetElapsedTime(_told) < TellInterval)
                return;
            _told = time.GetTimestamp();
            progressed(this);
        }
    }

    /// <summary>Asks it to stop; does nothing if it has ended.</summary>
    public void Stop()
    {
        if (Status == OperationStatus.InProgress)
            _stop.Cancel();
    }

    /// <summary>Disposes an ended operation.</summary>
    public void Dispose() => _stop.Dispose();

    internal void End(OperationStatus status, Exception? error = null) => (Error, _status) = (error, status);
}
