using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Worker.Hosting;

namespace Pipeline.Testing;

/// <summary>What an ETL task of a <see cref="PipelineTestServer"/> has sent. Thread-safe.</summary>
public sealed class EtlProbe
{
    private readonly PipelineWorker _worker;
    private readonly Capture _capture;

    internal EtlProbe(PipelineWorker worker, Capture capture, string task)
    {
        _worker = worker;
        _capture = capture;
        Task = task;
    }

    /// <summary>The task's name.</summary>
    public string Task { get; }

    /// <summary>The messages so far, in the order in which they were sent.</summary>
    public IReadOnlyList<OutgoingMessage> Messages => _capture.MessagesOf(Task);

    /// <summary>Waits until the task has dealt with all that was written before this call, dead letters to try again included.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>All messages that it has sent since the start.</returns>
    /// <exception cref="EtlFailuresException">The task has dead letters, or has left changes out; <see cref="DrainedWithFailuresAsync"/> expects them.</exception>
    /// <exception cref="EtlStoppedException">The task has stopped at an error and will not get there.</exception>
    /// <exception cref="InvalidOperationException">The task is paused and has changes before it.</exception>
    public async Task<IReadOnlyList<OutgoingMessage>> DrainedAsync(CancellationToken cancellationToken = default)
    {
        EtlOutcome outcome = await DrainedWithFailuresAsync(cancellationToken).ConfigureAwait(false);
        return outcome is { DeadLetters.Count: 0, Skipped: 0 } ? outcome.Messages : throw new EtlFailuresException(Task, outcome.DeadLetters, outcome.Skipped);
    }

    /// <summary>As <see cref="DrainedAsync"/>, for a test that expects documents to fail.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>All messages since the start, with the dead letters and the number of skipped changes.</returns>
    /// <exception cref="EtlStoppedException">The task has stopped at an error and will not get there.</exception>
    /// <exception cref="InvalidOperationException">The task is paused and has changes before it.</exception>
    public async Task<EtlOutcome> DrainedWithFailuresAsync(CancellationToken cancellationToken = default)
    {
        if (await _worker.DrainAsync(Task, cancellationToken).ConfigureAwait(false))
            return await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        TaskReport report = Report();
        throw report is { IsPaused: true, IsFailed: false }
            ? new InvalidOperationException($"The ETL task '{Task}' is paused with changes before it: call {nameof(Resume)}, or {nameof(StepAsync)} for one change.")
            : new EtlStoppedException(Task, report.Problem);
    }

    /// <summary>Stops the task from reading, and waits until its open batches are sent. Later writes of one document collapse to one change until <see cref="Resume"/>.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    public Task PauseAsync(CancellationToken cancellationToken = default) => _worker.PauseTaskAsync(Task, cancellationToken);

    /// <summary>Lets the paused task go on.</summary>
    public void Resume() => _worker.ResumeTask(Task);

    /// <summary>Lets the paused task deal with one change: the next one that it takes.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The messages of that change, none where the transform sent none; <see langword="null"/> where no change was left.</returns>
    /// <exception cref="EtlFailuresException">The change became a dead letter, or was left out.</exception>
    /// <exception cref="EtlStoppedException">The task has stopped at an error.</exception>
    /// <exception cref="InvalidOperationException">The task is not paused.</exception>
    public async Task<IReadOnlyList<OutgoingMessage>?> StepAsync(CancellationToken cancellationToken = default)
    {
        EtlOutcome before = await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        if (!await _worker.StepTaskAsync(Task, cancellationToken).ConfigureAwait(false))
            return Report() is { IsFailed: true } failed ? throw new EtlStoppedException(Task, failed.Problem) : null;
        EtlOutcome after = await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        List<DeadLetterView> letters = [.. after.DeadLetters.Where(l => before.DeadLetters.All(b => b.Id != l.Id || b.Attempts != l.Attempts))];
        return letters.Count == 0 && after.Skipped == before.Skipped
            ? [.. after.Messages.Skip(before.Messages.Count)]
            : throw new EtlFailuresException(Task, letters, after.Skipped - before.Skipped);
    }

    private TaskReport Report() => _worker.GetTasks().First(t => t.Name == Task);

    private async Task<EtlOutcome> OutcomeAsync(CancellationToken cancellationToken)
    {
        IReadOnlyList<OutgoingMessage> messages = Messages;
        IReadOnlyList<DeadLetterView> letters = await new DeadLetterDesk(_worker.Database).FindAsync(new DeadLetterSelection { Task = Task }, cancellationToken).ConfigureAwait(false);
        return new EtlOutcome(messages, letters, Report().Skipped);
    }
}
