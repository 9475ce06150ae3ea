namespace Pipeline.Database.Indexes;

/// <summary>
/// A flag that one task waits for, at most for a time. Any thread sets it; only the waiting task resets it.
/// </summary>
internal sealed class AsyncSignal
{
    private readonly Lock _lock = new();
    private TaskCompletionSource? _waiter;
    private bool _isSet;

    /// <summary>Sets the flag, and ends the wait.</summary>
    public void Set()
    {
        TaskCompletionSource? waiter;
        lock (_lock)
        {
            _isSet = true;
            waiter = _waiter;
            _waiter = null;
        }

        waiter?.TrySetResult();
    }

    /// <summary>Takes the flag back.</summary>
    public void Reset()
    {
        lock (_lock)
            _isSet = false;
    }

    /// <summary>Waits until the flag is set or the time is over.</summary>
    /// <param name="limit">The longest wait, by the machine's clock; none if it is not above zero.</param>
    /// <param name="ct">Ends the wait.</param>
    public async ValueTask WaitAsync(TimeSpan limit, CancellationToken ct)
    {
        if (limit <= TimeSpan.Zero)
            return;
        TaskCompletionSource waiter;
        lock (_lock)
        {
            if (_isSet)
                return;
            _waiter = waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        using var end = CancellationTokenSource.CreateLinkedTokenSource(ct);
        await Task.WhenAny(waiter.Task, Task.Delay(limit, TimeProvider.System, end.Token)).ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        ct.ThrowIfCancellationRequested();
    }
}
