namespace Pipeline.Etl.Runner;

/// <summary>Counts the batches in flight and completes a task when there are none. Thread-safe.</summary>
internal sealed class InFlightGate
{
    private readonly Lock _lock = new();
    private TaskCompletionSource _empty = Completed();
    private int _count;

    /// <summary>Whether a batch is in flight.</summary>
    public bool IsBusy => Volatile.Read(ref _count) > 0;

    public void Enter()
    {
        lock (_lock)
        {
            if (_count++ == 0)
                _empty = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    public void Leave()
    {
        lock (_lock)
        {
            if (--_count == 0)
                _empty.SetResult();
        }
    }

    /// <summary>Completes when nothing is in flight.</summary>
    public Task WhenEmptyAsync()
    {
        lock (_lock)
            return _empty.Task;
    }

    private static TaskCompletionSource Completed()
    {
        var source = new TaskCompletionSource();
        source.SetResult();
        return source;
    }
}
