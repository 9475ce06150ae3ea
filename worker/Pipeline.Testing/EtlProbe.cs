using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting;

namespace Pipeline.Testing;

/// <summary>
/// Gives access to the messages that an ETL task of a <see cref="PipelineTestServer"/> has sent. Thread-safe.
/// </summary>
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

    /// <summary>
    /// Waits until the task has processed everything written before this call, including dead letters to retry.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All messages that it has sent since the start.</returns>
    /// <exception cref="EtlFailuresException">
    /// The task has dead letters, or has skipped changes; <see cref="DrainedWithFailuresAsync"/> expects them.
    /// </exception>
    /// <exception cref="EtlStoppedException">An error has stopped the task, so it cannot finish.</exception>
    /// <exception cref="InvalidOperationException">The task is paused and has unprocessed changes.</exception>
    public async Task<IReadOnlyList<OutgoingMessage>> DrainedAsync(CancellationToken cancellationToken = default)
    {
        var outcome = await DrainedWithFailuresAsync(cancellationToken).ConfigureAwait(false);
        return outcome is { DeadLetters.Count: 0, Skipped: 0 }
            ? outcome.Messages
            : throw new EtlFailuresException(Task, outcome.DeadLetters, outcome.Skipped);
    }

    /// <summary>Does the same as <see cref="DrainedAsync"/>, for a test that expects documents to fail.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All messages since the start, with the dead letters and the number of skipped changes.</returns>
    /// <exception cref="EtlStoppedException">An error has stopped the task, so it cannot finish.</exception>
    /// <exception cref="InvalidOperationException">The task is paused and has unprocessed changes.</exception>
    public async Task<EtlOutcome> DrainedWithFailuresAsync(CancellationToken cancellationToken = default)
    {
        if (await _worker.DrainAsync(Task, cancellationToken).ConfigureAwait(false))
            return await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        var report = Report();
        throw report is { IsPaused: true, IsFailed: false }
            ? new InvalidOperationException(
                $"The ETL task '{Task}' is paused with changes before it: call {nameof(Resume)}, or {nameof(StepAsync)} for one change."
            )
            : new EtlStoppedException(Task, report.Problem);
    }

    /// <summary>
    /// Pauses reading, and waits until the task's open batches are sent. Later writes of one document collapse to one
    /// change until <see cref="Resume"/>.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task PauseAsync(CancellationToken cancellationToken = default) =>
        _worker.PauseTaskAsync(Task, cancellationToken);

    /// <summary>Resumes the paused task.</summary>
    public void Resume() => _worker.ResumeTask(Task);

    /// <summary>Makes the paused task process its next change.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>
    /// The messages of that change, empty if the transform sent none; <see langword="null"/> if no change was left.
    /// </returns>
    /// <exception cref="EtlFailuresException">The change became a dead letter, or was skipped.</exception>
    /// <exception cref="EtlStoppedException">An error has stopped the task.</exception>
    /// <exception cref="InvalidOperationException">The task is not paused.</exception>
    public async Task<IReadOnlyList<OutgoingMessage>?> StepAsync(CancellationToken cancellationToken = default)
    {
        var before = await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        if (!await _worker.StepTaskAsync(Task, cancellationToken).ConfigureAwait(false))
            return Report() is { IsFailed: true } failed ? throw new EtlStoppedException(Task, failed.Problem) : null;
        var after = await OutcomeAsync(cancellationToken).ConfigureAwait(false);
        List<DeadLetterView> letters =
        [
            .. after.DeadLetters.Where(l => before.DeadLetters.All(b => b.Id != l.Id || b.Attempts != l.Attempts)),
        ];
        return letters.Count == 0 && after.Skipped == before.Skipped
            ? [.. after.Messages.Skip(before.Messages.Count)]
            : throw new EtlFailuresException(Task, letters, after.Skipped - before.Skipped);
    }

    private TaskReport Report() => _worker.GetTasks().First(t => t.Name == Task);

    private async Task<EtlOutcome> OutcomeAsync(CancellationToken cancellationToken)
    {
        var messages = Messages;
        var letters = await new DeadLetterService(_worker.Database)
            .FindAsync(new DeadLetterSelection { Task = Task }, cancellationToken)
            .ConfigureAwait(false);
        return new EtlOutcome(messages, letters, Report().Skipped);
    }
}
