using Pipeline.Etl.Connectors;
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

    /// <summary>Waits until the task has dealt with all that was written before this call.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>All messages that it has sent since the start.</returns>
    /// <exception cref="EtlStoppedException">The task has stopped at an error and will not get there.</exception>
    public async Task<IReadOnlyList<OutgoingMessage>> DrainedAsync(CancellationToken cancellationToken = default)
    {
        if (await _worker.DrainAsync(Task, cancellationToken).ConfigureAwait(false))
            return Messages;
        throw new EtlStoppedException(Task, _worker.GetTasks().First(t => t.Name == Task).Problem);
    }
}
