using Pipeline.Etl.Records;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Hosting;

/// <content>Controls single tasks, and reports on them.</content>
public sealed partial class PipelineWorker
{
    /// <summary>Waits until a task has dealt with all that is in the database now.</summary>
    /// <param name="task">The task.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>
    /// <see langword="true"/> when it has; <see langword="false"/> when it needs help
    /// (<see cref="TaskReport.IsFailed"/>) or is paused.
    /// </returns>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public Task<bool> DrainAsync(string task, CancellationToken cancellationToken = default)
    {
        var names = _etl.GetStatus().Select(s => s.Name).ToList();
        return names.Contains(task)
            ? _etl.DrainAsync(Database.LastPosition, cancellationToken, task)
            : throw new ArgumentException(
                $"there is no ETL task '{task}'; there are: {string.Join(", ", names)}",
                nameof(task)
            );
    }

    /// <summary>
    /// Stops a task from reading until <see cref="ResumeTask"/>, and waits until its open batches are sent. May be
    /// called before the tasks run.
    /// </summary>
    /// <param name="task">The task.</param>
    /// <param name="cancellationToken">Ends the wait; the task is paused all the same.</param>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public Task PauseTaskAsync(string task, CancellationToken cancellationToken = default) =>
        _etl.PauseAsync(task, cancellationToken);

    /// <summary>Resumes a paused task.</summary>
    /// <param name="task">The task.</param>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public void ResumeTask(string task) => _etl.Resume(task);

    /// <summary>Lets a paused task deal with the next change that it takes, and waits until that is sent.</summary>
    /// <param name="task">The task.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>
    /// <see langword="false"/> when nothing was left to do, or the task needs help (<see cref="TaskReport.IsFailed"/>).
    /// </returns>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    /// <exception cref="InvalidOperationException">It is not paused.</exception>
    public Task<bool> StepTaskAsync(string task, CancellationToken cancellationToken = default) =>
        _etl.StepAsync(task, cancellationToken);

    /// <summary>Returns the current state of every task, in the configuration's order. Costs little.</summary>
    public IReadOnlyList<TaskReport> GetTasks() => _run.GetTasks();

    /// <summary>Has a task look for a replay or a decision.</summary>
    internal void WakeTask(string task) => _etl.Wake(task);

    /// <summary>Every task with all its figures, disabled ones too, in the configuration's order.</summary>
    internal IReadOnlyList<TaskView> GetTaskViews()
    {
        var consumers = Database
            .Consumers.GetStatus(TimeSpan.FromSeconds(1))
            .ToDictionary(c => c.Name, StringComparer.OrdinalIgnoreCase);
        var letters = _etl.CountDeadLetters();
        var running = _etl.GetStatus().ToDictionary(s => s.Name, StringComparer.Ordinal);
        var configuration = Configuration;
        var views = new List<TaskView>();
        foreach (var task in configuration.Etl)
        {
            var consumer = consumers.GetValueOrDefault(EtlTaskKeys.ConsumerName(task.Name));
            var count = letters.GetValueOrDefault(task.Name);
            if (running.TryGetValue(task.Name, out var status))
            {
                views.Add(TaskView.Of(status, consumer, count) with { From = task.From });
            }
            else if (task.Disabled)
            {
                var kind = configuration.Connections[task.To].Definition.Kind;
                views.Add(TaskView.OfDisabled(task, kind, consumer, Database.LastPosition, count));
            }
        }

        return views;
    }
}
