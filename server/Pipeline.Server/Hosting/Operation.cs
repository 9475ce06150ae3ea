namespace Pipeline.Server.Hosting;

/// <summary>How an operation stands.</summary>
internal enum OperationStatus
{
    InProgress,
    Completed,
    Faulted,
    Canceled,
}

/// <summary>An operation that goes on after its request was answered. Thread-safe.</summary>
internal sealed class Operation(long id, TimeProvider time, Action<Operation> progressed) : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private static readonly TimeSpan TellInterval = TimeSpan.FromSeconds(1);
    private long _total;
    private long _processed;
    private long _told = time.GetTimestamp();

    /// <summary>Its number in its database.</summary>
    public long Id { get; } = id;

    /// <summary>When it began.</summary>
    public DateTimeOffset Started { get; } = time.GetUtcNow();

    /// <summary>When it ended; null as long as it runs.</summary>
    public DateTimeOffset? Ended { get; private set; }

    /// <summary>How it stands.</summary>
    public OperationStatus Status { get; private set; }

    /// <summary>Why it failed.</summary>
    public Exception? Error { get; private set; }

    /// <summary>Cancelled when somebody ends it.</summary>
    public CancellationToken Stopping => _stop.Token;

    /// <summary>The task that does it; null where a request does.</summary>
    public Task? Work { get; set; }

    /// <summary>Documents to do, as far as is known, and done.</summary>
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

    /// <summary>Asks it to end; one that has ended is left alone.</summary>
    public void Stop()
    {
        if (Status == OperationStatus.InProgress)
            _stop.Cancel();
    }

    /// <summary>For one that has ended.</summary>
    public void Dispose() => _stop.Dispose();

    internal void End(OperationStatus status, Exception? error, DateTimeOffset now) => (Error, Ended, Status) = (error, now, status);
}
