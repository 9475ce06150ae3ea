namespace Pipeline.Etl.Runner;

/// <summary>
/// Tells a task that there is other work than changes: a replay, or a person's decision. Thread-safe.
/// </summary>
internal sealed class WakeSignal
{
    private volatile TaskCompletionSource _woken = New();
    private volatile bool _isLooking;

    /// <summary>Whether the task was woken and has not yet found out why.</summary>
    public bool IsPending => _woken.Task.IsCompleted || _isLooking;

    /// <summary>Whether it was woken and has not begun to look.</summary>
    public bool IsSet => _woken.Task.IsCompleted;

    /// <summary>Completes when the task is woken.</summary>
    public Task WhenSet => _woken.Task;

    public void Set() => _woken.TrySetResult();

    public void Reset() => _woken = New();

    /// <summary>
    /// Resets the signal. It stays pending until <see cref="EndLook"/>, so that nobody takes the task for done in
    /// between.
    /// </summary>
    public void BeginLook()
    {
        _isLooking = true;
        Reset();
    }

    public void EndLook() => _isLooking = false;

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
