namespace Pipeline.Database.Indexes;

/// <summary>
/// Limits the number of batches that run at once. Waiting batches start by priority, then in order of arrival.
/// Thread-safe.
/// </summary>
internal sealed class IndexScheduler(int places)
{
    private readonly Lock _lock = new();
    private readonly PriorityQueue<TaskCompletionSource, (int Priority, long Order)> _waiting = new();
    private int _free = places;
    private long _order;

    public async Task EnterAsync(IndexPriority priority, CancellationToken ct)
    {
        TaskCompletionSource turn;
        lock (_lock)
        {
            if (_free > 0)
            {
                _free--;
                return;
            }

            turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Enqueue(turn, (-(int)priority, _order++));
        }

        using var registration = ct.UnsafeRegister(static (t, c) => ((TaskCompletionSource)t!).TrySetCanceled(c), turn);
        await turn.Task.ConfigureAwait(false);
    }

    public void Leave()
    {
        lock (_lock)
        {
            // A waiter that has given up passes its turn to the next one.
            while (_waiting.TryDequeue(out var next, out _))
            {
                if (next.TrySetResult())
                    return;
            }

            _free++;
        }
    }
}
