using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Planning;
using Pipeline.Etl.Replays;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>One task's loop: a reader (extract, transform) that works ahead of a sender (dead letters, target, position) by at most one batch.</summary>
/// <remarks>
/// Invariant: a change's effect is durable (confirmed by the target, or a dead letter in the database) before a position at or over it is. An error of the
/// target keeps the batch and tries again; any other error drops all that is in memory and begins again from the durable position.
/// </remarks>
internal sealed partial class EtlTask : IDisposable
{
    private readonly EtlTaskPlan _plan;
    private readonly EtlTaskConfiguration _task;
    private readonly IChangeFeed _feed;
    private readonly IConnector _connector;
    private readonly EtlHostOptions _options;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly TaskProgress _progress;
    private readonly Backoff _backoff;
    private readonly BatchSizer _sizer;
    private readonly MessageCollector _collector;
    private readonly TransformAhead? _ahead;
    private readonly DeadLetterWriter _readerDeadLetters;
    private readonly DeadLetterWriter _senderDeadLetters;
    private readonly CursorFilter _filter;
    private readonly CursorFilter _feedFilter;
    private readonly FailureLog _failures;
    private readonly KeyValuePair<string, object?> _tag;
    private readonly Backoff _readerBackoff;
    private readonly bool _holds;
    private readonly string _consumer;
    private readonly ReadGate _readGate;
    private readonly RunMarker? _marker;
    private volatile InFlightGate _inFlight = new();
    private volatile LetterBox _letters;
    private LoadDependencies? _dependencies;

    public EtlTask(EtlTaskPlan plan, IChangeFeed feed, IConnector connector, EtlHostOptions options, Random random, Action changed)
    {
        _plan = plan;
        _task = plan.Task;
        _consumer = EtlTaskKeys.ConsumerName(_task.Name);
        _feed = feed;
        _connector = connector;
        _options = options;
        _logger = options.Loggers.CreateLogger("Pipeline.Etl." + _task.Name);
        _time = options.Time;
        _failures = new FailureLog(_logger, _task, options.Time);
        _progress = new TaskProgress(options.Time, changed);
        _readGate = new ReadGate(changed);
        _backoff = new Backoff(_task.Retry, random);
        _readerBackoff = new Backoff(_task.Retry, new Random(random.Next()));
        _holds = _task.OnError == ErrorPolicy.ParkKey;
        _letters = new LetterBox(_task.Name);
        _marker = feed.OpenRunMarker(_consumer);
        _sizer = new BatchSizer(_task.Batch);
        _collector = new MessageCollector(_task, feed.DatabaseId, feed.DatabaseName, () => feed.Lineages);
        _ahead = _task.MostParallel > 1 ? new TransformAhead(plan, feed, _consumer) : null;
        _readerDeadLetters = new DeadLetterWriter(_task, options.Time);
        _senderDeadLetters = new DeadLetterWriter(_task, options.Time);
        _filter = _task.ToFilter();
        _feedFilter = _task.ToFeedFilter();
        _tag = new(EtlTelemetry.TaskTag, _task.Name);
    }

    public TaskProgress Progress => _progress;

    public EtlTaskPlan Plan => _plan;

    /// <summary>The task now.</summary>
    public EtlTaskStatus GetStatus()
    {
        // Before the counts: a letter that is still waiting here cannot be missing in them.
        bool isRetrying = _letters.HasWork;
        return _progress.Snapshot(_task.Name, _plan.Connection.Name, _plan.Connection.Definition.Kind, _feed.LastPosition) with
        {
            Lineage = _feed.Lineages.Current.Id, IsRetryingLetters = isRetrying, IsPaused = _readGate.IsClosed,
        };
    }

    /// <summary>Whether all changes up to a position, all marked dead letters and the replay are done.</summary>
    public bool HasDone(long position) =>
        _progress.Position >= position && !_letters.HasWork && !_progress.IsReplaying && !_woken.Task.IsCompleted && !_isLooking;

    /// <summary>Pauses the task before its next batch, lets it make one step, or lets it continue.</summary>
    public ReadGate ReadGate => _readGate;

    /// <summary>Whether it is paused and no batch is in flight.</summary>
    public bool IsAtRest => _readGate.IsAtRest && !_inFlight.IsBusy;

    /// <summary>Runs until cancelled; ends without an error.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        for (int attempt = 1; !stop.IsCancellationRequested; attempt++)
        {
            long before = _progress.Position;
            try
            {
                if (!await RunWithinLagAsync(stop).ConfigureAwait(false)) return;
                attempt = 0;
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                break;
            }
            catch (Exception e) when (e is SplitBatchException or LineageChangedException)
            {
                attempt = 0;
            }
            catch (TaskBlockedException e)
            {
                attempt = 0;
                try
                {
                    await StandAsync(e.Conflict, stop).ConfigureAwait(false);
                }
                catch (OperationCanceledException) when (stop.IsCancellationRequested)
                {
                    break;
                }
            }
            catch (Exception e)
            {
                if (_progress.Position > before) attempt = 1;
                TimeSpan delay = _backoff.Next(attempt, isTransient: false);
                if (e is TaskStoppedException stopped) _logger.StoppedBefore(_task.Name, stopped.LogMessage, delay);
                else if (e is ScriptRuntimeException script) _logger.ScriptFailed(_task.Name, (script.InnerException ?? script).GetType().Name, delay);
                else _logger.Failed(e, _task.Name, delay);
                if (!await WaitAsync(EtlTaskState.Failed, e.Message, (e as TaskStoppedException)?.Class ?? FailureClass.Permanent, attempt, delay, stop).ConfigureAwait(false)) break;
            }
        }

        _failures.Flush();
        _progress.SetState(EtlTaskState.Stopped);
        _logger.Stopped(_task.Name, _progress.Position);
    }

    /// <summary>Registers the task and stores its definition in the database. Changes nothing if the database already has both.</summary>
    public async Task RegisterAsync(CancellationToken cancellationToken)
    {
        await _feed.RegisterAsync(_consumer, _feedFilter, cancellationToken).ConfigureAwait(false);
        await TaskRecord.StoreAsync(_feed, _task, _plan.Connection, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes its marker. Call it after the task has stopped.</summary>
    public void Dispose() => _marker?.Dispose();

    private async Task RunFromDurablePositionAsync(CancellationToken stop)
    {
        await RegisterAsync(stop).ConfigureAwait(false);
        DurableCursor cursor = _feed.OpenCursor(_consumer, _feedFilter);
        TaskRun run = await BeginRunAsync(cursor, stop).ConfigureAwait(false);
        FindWork(cursor);
        _dependencies = _task.DependsOn == DependencyPolicy.Load ? new LoadDependencies(_task.Name) : null;
        (_replay, _looked, _replayThrough) = (null, false, -1);
        IMessageSink sink = _connector.CreateSink(new SinkContext(_task.Name, _feed.DatabaseId, _time, _options.Loggers) { Run = run });
        try
        {
            var sender = new Sender(this, sink, cursor, run);
            await sender.ConnectAsync(stop).ConfigureAwait(false);
            if (cursor.AwaitsResync) await sender.BeginResyncAsync(stop).ConfigureAwait(false);
            else WarnOfLostDeletions(cursor, sender.Position);
            _logger.Started(_task.Name, sender.Position, _plan.Connection.Name);
            await RunBothAsync(cursor, sender, run, stop).ConfigureAwait(false);
        }
        catch (TargetConflictException e)
        {
            throw new TaskBlockedException(await KeepConflictAsync(run, e, cursor, stop).ConfigureAwait(false));
        }
        finally
        {
            await CloseAsync(sink).ConfigureAwait(false);
        }
    }

    /// <summary>Finds marked dead letters and an open replay before the sink connects, since a run without work must not wait for its target.</summary>
    private void FindWork(DurableCursor cursor)
    {
        using IFeedSnapshot snapshot = _feed.OpenSnapshot(cursor.Name);
        var letters = new LetterBox(_task.Name);
        letters.Look(snapshot);
        _letters = letters;
        _progress.Begin(cursor.Position, ReplayJob.Read(snapshot, _task.Name)?.ToStatus(), cursor.AwaitsResync);
    }

    private async Task RunBothAsync(DurableCursor cursor, Sender sender, TaskRun run, CancellationToken stop)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Channel<PreparedBatch> queue = Channel.CreateBounded<PreparedBatch>(new BoundedChannelOptions(1) { SingleReader = true, SingleWriter = true });
        var gate = new InFlightGate();
        _inFlight = gate;
        Task reading = EndsOtherAsync(ReadAsync(cursor, sender.Position, run, queue.Writer, gate, both.Token), both);
        Task sending = EndsOtherAsync(sender.RunAsync(queue.Reader, gate, both.Token), both);
        try
        {
            await Task.WhenAll(reading, sending).ConfigureAwait(false);
        }
        catch (Exception) when (FirstFault(reading, sending) is { } fault)
        {
            // The one that failed speaks, not the one that was cancelled for it.
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(fault);
        }
        finally
        {
            // What was in flight is read again.
            _inFlight = new InFlightGate();
            _readGate.StepAside();
            _passed = sender.Position;
            await sender.StoreSkippedAsync().ConfigureAwait(false);
        }
    }

    private static async Task EndsOtherAsync(Task task, CancellationTokenSource both)
    {
        try
        {
            await task.ConfigureAwait(false);
        }
        finally
        {
            await both.CancelAsync().ConfigureAwait(false);
        }
    }

    private static Exception? FirstFault(params ReadOnlySpan<Task> tasks)
    {
        foreach (Task task in tasks)
        {
            if (task.IsFaulted) return task.Exception!.InnerExceptions[0];
        }

        return null;
    }

    /// <summary>Shows the error and waits. Returns <see langword="false"/> if the task was stopped during the wait.</summary>
    private async Task<bool> WaitAsync(EtlTaskState state, string reason, FailureClass failure, int attempt, TimeSpan delay, CancellationToken stop, bool isOfTarget = false)
    {
        DateTimeOffset now = _time.GetUtcNow();
        EtlTelemetry.Retries.Add(1, _tag, EtlTelemetry.Tag(failure));
        _progress.Fail(state, new EtlTaskError(reason, now, state == EtlTaskState.Retrying, attempt) { IsOfTarget = isOfTarget }, failure, now + delay);
        try
        {
            await Task.Delay(delay, _time, stop).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task CloseAsync(IMessageSink sink)
    {
        try
        {
            await sink.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _logger.CloseFailed(e, _task.Name);
        }
    }
}
