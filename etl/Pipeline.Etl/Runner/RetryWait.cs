using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>
/// The waits of one of a task's loops between an error and the next attempt. The task's status shows the error
/// meanwhile. Not thread-safe.
/// </summary>
internal sealed class RetryWait(TaskContext context, Random random)
{
    private readonly Backoff _backoff = new(context.Task.Retry, random);

    /// <summary>The wait after the given attempt, from 1.</summary>
    public TimeSpan Next(int attempt, bool isTransient) => _backoff.Next(attempt, isTransient);

    /// <summary>
    /// Shows the error and waits. Returns <see langword="false"/> if the task was stopped during the wait.
    /// </summary>
    public async Task<bool> WaitAsync(
        EtlTaskState state,
        string reason,
        FailureClass failure,
        int attempt,
        TimeSpan delay,
        CancellationToken stop,
        bool isOfTarget = false
    )
    {
        var now = context.Time.GetUtcNow();
        EtlTelemetry.Retries.Add(1, context.Tag, TaskContext.TagOf(failure));
        context.Progress.Fail(
            state,
            new EtlTaskError(reason, now, state == EtlTaskState.Retrying, attempt) { IsOfTarget = isOfTarget },
            failure,
            now + delay
        );
        try
        {
            await Task.Delay(delay, context.Time, stop).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
