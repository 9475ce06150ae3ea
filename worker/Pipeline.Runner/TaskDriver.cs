using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Runner;

/// <summary>
/// Starts and stops the tasks of one process, brings them to a position, and reports their progress.
/// </summary>
/// <remarks>Start and stop it once. The reports may be asked for at any time, from any thread.</remarks>
/// <param name="database">Its database.</param>
/// <param name="etl">Its tasks, not started.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Gets what goes wrong at the end.</param>
/// <param name="opened">When the database was opened, by the clock: the start of <see cref="RunSummary.Elapsed"/>.</param>
internal sealed class TaskDriver(DocumentDatabase database, EtlHost etl, TimeProvider time, ILogger logger, long opened)
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(3);

    private readonly ConcurrentDictionary<string, TimeSpan> _reached = new(StringComparer.Ordinal);
    private readonly long _opened = opened;
    private long _started = opened;
    private bool _endsAtTarget;
    private volatile bool _timedOut;
    private volatile Dictionary<string, EtlTaskState> _beforeStop = [];

    /// <summary>What the configuration's <c>import</c> stored at this start.</summary>
    public long Imported { get; private set; }

    /// <summary>The position after the import, to which a run that ends brings every task.</summary>
    public long Target { get; private set; }

    /// <summary>Imports what an empty database begins with.</summary>
    public async Task ImportAsync(PipelineConfiguration configuration, CancellationToken cancellationToken)
    {
        var report = await InitialImport
            .RunAsync(database, configuration, logger, cancellationToken)
            .ConfigureAwait(false);
        Imported = report.Imported;
        Target = database.LastPosition;
    }

    /// <summary>Starts the tasks.</summary>
    public void Start()
    {
        _started = time.GetTimestamp();
        etl.Start();
    }

    /// <summary>Starts the tasks, runs them until each has reached <see cref="Target"/> or cannot, and stops them.</summary>
    /// <param name="timeout">How long that may take; without a limit where null.</param>
    /// <param name="cancellationToken">Ends it; the tasks are stopped and their progress is stored.</param>
    public async Task RunToTargetAsync(TimeSpan? timeout, CancellationToken cancellationToken)
    {
        _endsAtTarget = true;
        using var late = timeout is { } most ? new CancellationTokenSource(most, time) : new CancellationTokenSource();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        Start();
        var draining = etl.DrainAsync(Target, either.Token);
        using (var timer = new PeriodicTimer(Look, time))
        {
            while (
                await Task.WhenAny(draining, timer.WaitForNextTickAsync(CancellationToken.None).AsTask())
                    .ConfigureAwait(false) != draining
            )
            {
                NoteReached();
            }
        }
        NoteReached();
        try
        {
            await draining.ConfigureAwait(false);
        }
        catch (OperationCanceledException)
            when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            _timedOut = true;
            RunnerLog.TimedOut(logger, timeout!.Value.TotalSeconds);
        }
        finally
        {
            await StopAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Stops the tasks; gives up waiting for those that do not stop.</summary>
    public async Task StopAsync()
    {
        using var deadline = new CancellationTokenSource(StopTimeout, time);
        _beforeStop = etl.GetStatus().ToDictionary(s => s.Name, s => s.State, StringComparer.Ordinal);
        try
        {
            await etl.StopAsync(deadline.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (deadline.IsCancellationRequested)
        {
            RunnerLog.StopTimedOut(logger, StopTimeout.TotalSeconds);
        }
    }

    /// <summary>Returns the current state of every task, in the configuration's order. Costs little.</summary>
    public IReadOnlyList<TaskReport> GetTasks()
    {
        var elapsed = time.GetElapsedTime(_started);
        var tasks = etl.GetStatus();
        // Looked up last: no task is beyond it.
        var target = _endsAtTarget ? Target : database.LastPosition;
        return
        [
            .. tasks.Select(s =>
                TaskReport.Of(
                    AsBeforeTheStop(s),
                    target,
                    _endsAtTarget && _reached.TryGetValue(s.Name, out var reached) ? reached : elapsed,
                    _endsAtTarget
                )
            ),
        ];
    }

    /// <summary>The progress so far.</summary>
    /// <param name="name">The database's name.</param>
    public RunSummary Summarize(string name)
    {
        using var snapshot = database.OpenSnapshot();
        var documents = snapshot.GetStatistics();
        var letters = documents
            .Collections.Where(c => c.Name.Equals(DeadLetter.Collection, StringComparison.OrdinalIgnoreCase))
            .Sum(c => c.Documents);
        return new RunSummary(
            name,
            _endsAtTarget ? Target : database.LastPosition,
            documents.Documents - letters,
            Imported,
            time.GetElapsedTime(_opened),
            GetTasks()
        )
        {
            DeadLetters = letters,
            LastPosition = snapshot.LastPosition,
            TimedOut = _timedOut,
        };
    }

    /// <summary>A task that was stopped while it waited or had failed is shown so, with the reason.</summary>
    private EtlTaskStatus AsBeforeTheStop(EtlTaskStatus status) =>
        status.State == EtlTaskState.Stopped
        && _beforeStop.TryGetValue(status.Name, out var state)
        && state is EtlTaskState.Retrying or EtlTaskState.Failed
            ? status with
            {
                State = state,
            }
            : status;

    private void NoteReached()
    {
        var elapsed = time.GetElapsedTime(_started);
        foreach (var task in etl.GetStatus())
        {
            if (task.Position >= Target)
                _reached.TryAdd(task.Name, elapsed);
        }
    }
}
