namespace Pipeline.Etl.Runner;

public sealed partial class EtlHost
{
    /// <summary>
    /// Stops a task from reading, and waits until its open batches are sent. The pause ends with <see cref="Resume"/>,
    /// or when the task's configuration changes.
    /// </summary>
    /// <param name="task">The task's name.</param>
    /// <param name="cancellationToken">Ends the wait; the task is paused all the same.</param>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public Task PauseAsync(string task, CancellationToken cancellationToken = default)
    {
        var paused = Find(task);
        paused.ReadGate.Close();
        return WaitAsync(() => paused.IsAtRest || IsStuck(paused), cancellationToken);
    }

    /// <summary>Lets a paused task continue. Does nothing to a task that runs.</summary>
    /// <param name="task">The task's name.</param>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public void Resume(string task) => Find(task).ReadGate.Open();

    /// <summary>
    /// Lets a paused task send one batch: the next change that it takes, some marked dead letters, or a part of a
    /// replay. Waits until the target has confirmed it.
    /// </summary>
    /// <param name="task">The task's name.</param>
    /// <param name="cancellationToken">Ends the wait; the step is done all the same.</param>
    /// <returns>
    /// <see langword="false"/> when nothing was left to do, or the task is <see cref="EtlTaskState.Failed"/>.
    /// </returns>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    /// <exception cref="InvalidOperationException">The task is not paused.</exception>
    public async Task<bool> StepAsync(string task, CancellationToken cancellationToken = default)
    {
        var stepped = Find(task);
        if (!stepped.ReadGate.IsClosed)
            throw new InvalidOperationException($"The ETL task '{task}' is not paused: pause it before it is stepped.");
        await WaitAsync(() => stepped.IsAtRest || IsStuck(stepped), cancellationToken).ConfigureAwait(false);
        var before = Done(stepped);
        while (!IsStuck(stepped) && !stepped.HasDone(_feed.LastPosition))
        {
            stepped.ReadGate.AllowStep();
            await WaitAsync(
                    () => stepped.IsAtRest || IsStuck(stepped) || stepped.HasDone(_feed.LastPosition),
                    cancellationToken
                )
                .ConfigureAwait(false);
            stepped.ReadGate.WithdrawStep();
            // Changes that the task does not take are no step.
            if (Done(stepped) > before)
                return true;
        }

        return false;
    }

    private static long Done(EtlTask task) =>
        task.GetStatus() is var s ? s.DocumentsRead + s.LettersDone + s.LettersFailed : 0;

    private static bool IsStuck(EtlTask task) =>
        task.Progress.State is EtlTaskState.Failed or EtlTaskState.Stopped or EtlTaskState.Blocked;

    private EtlTask Find(string task) =>
        Array.Find(_tasks, t => t.Task.Plan.Task.Name == task)?.Task
        ?? throw new ArgumentException(
            $"there is no ETL task '{task}'; there are: {string.Join(", ", _tasks.Select(t => t.Task.Plan.Task.Name))}",
            nameof(task)
        );

    private async Task WaitAsync(Func<bool> isSo, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task changed;
            lock (_lock)
                changed = _changed.Task;
            if (isSo())
                return;
            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
