namespace Pipeline.Documents;

/// <summary>
/// Counts the writes in progress, for background work that yields to them. Thread-safe; costs two atomic operations a
/// write.
/// </summary>
internal sealed class WriteLoad
{
    private TaskCompletionSource? _drained;
    private int _pending;

    public int Pending => Volatile.Read(ref _pending);

    /// <summary>A write begins; its disposal ends it.</summary>
    public Write Begin()
    {
        Interlocked.Increment(ref _pending);
        return new Write(this);
    }

    /// <summary>Done at the next moment without a write.</summary>
    public Task DrainedAsync()
    {
        var waiter = Volatile.Read(ref _drained) ?? Make();
        if (Pending == 0)
            End(waiter);
        return waiter.Task;
    }

    private TaskCompletionSource Make()
    {
        var made = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return Interlocked.CompareExchange(ref _drained, made, null) ?? made;
    }

    private void End(TaskCompletionSource waiter)
    {
        Interlocked.CompareExchange(ref _drained, null, waiter);
        waiter.TrySetResult();
    }

    /// <summary>A write in progress.</summary>
    public readonly struct Write(WriteLoad load) : IDisposable
    {
        public void Dispose()
        {
            if (Interlocked.Decrement(ref load._pending) == 0 && Volatile.Read(ref load._drained) is { } waiter)
                load.End(waiter);
        }
    }
}
