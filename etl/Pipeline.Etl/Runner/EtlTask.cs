using System.Runtime.ExceptionServices;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Records;
using Pipeline.Etl.Replays;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// One task. Each run connects a reader (extract, transform) to a sender (dead letters, target, position). After an
/// error, a new run begins.
/// </summary>
/// <remarks>
/// Invariant: a change's effect is durable (confirmed by the target, or a dead letter in the database) before a
/// position at or after it is. After an error of the target, the batch is kept and retried. Any other error drops
/// everything in memory and restarts from the durable position.
/// </remarks>
internal sealed class EtlTask : IDisposable
{
    private readonly TaskContext _context;
    private readonly IConnector _connector;
    private readonly RetryWait _retry;
    private readonly RetryWait _readerRetry;
    private readonly RunMarker? _marker;
    private readonly RunGuard _guard;
    private readonly LagGuard _lag;
    private readonly FailingChange _failing = new();
    private readonly WakeSignal _wake = new();
    private readonly BatchSizer _sizer;
    private volatile BatchQueue _batches = new();
    private volatile DeadLetterIndex _letters;

    public EtlTask(
        EtlTaskPlan plan,
        IChangeFeed feed,
        IConnector connector,
        EtlHostOptions options,
        Random random,
        Action changed
    )
    {
        _context = new TaskContext(plan, feed, options, changed);
        _connector = connector;
        _retry = new RetryWait(_context, random);
        _readerRetry = new RetryWait(_context, new Random(random.Next()));
        _marker = feed.OpenRunMarker(_context.Consumer);
        _guard = new RunGuard(_context, _marker);
        _lag = new LagGuard(_context);
        _sizer = new BatchSizer(plan.Task.Batch);
        _letters = new DeadLetterIndex(_context.Name);
        ReadGate = new ReadGate(changed);
    }

    public TaskProgress Progress => _context.Progress;

    public EtlTaskPlan Plan => _context.Plan;

    /// <summary>Pauses the task before its next batch, lets it make one step, or lets it continue.</summary>
    public ReadGate ReadGate { get; }

    /// <summary>Whether it is paused and no batch is in flight.</summary>
    public bool IsAtRest => ReadGate.IsAtRest && !_batches.IsBusy;

    private IChangeFeed Feed => _context.Feed;

    /// <summary>The current status of the task.</summary>
    public EtlTaskStatus GetStatus()
    {
        // Read this before the counts, so that they include every letter that still waits here.
        var isRetrying = _letters.HasWork;
        return Progress.Snapshot(
            _context.Name,
            Plan.Connection.Name,
            Plan.Connection.Definition.Kind,
            Feed.LastPosition
        ) with
        {
            Lineage = Feed.Lineages.Current.Id,
            IsRetryingLetters = isRetrying,
            IsPaused = ReadGate.IsClosed,
        };
    }

    /// <summary>Whether all changes up to a position, all marked dead letters and the replay are done.</summary>
    public bool HasDone(long position) =>
        Progress.Position >= position && !_letters.HasWork && !Progress.IsReplaying && !_wake.IsPending;

    /// <summary>Ends the wait for changes because there is other work.</summary>
    public void Wake() => _wake.Set();

    /// <summary>
    /// Registers the task and stores its definition in the database. Changes nothing if the database already has both.
    /// </summary>
    public async Task RegisterAsync(CancellationToken cancellationToken)
    {
        await Feed.RegisterAsync(_context.Consumer, _context.FeedFilter, cancellationToken).ConfigureAwait(false);
        await TaskRecord.StoreAsync(Feed, Plan.Task, Plan.Connection, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes its marker. Call it after the task has stopped.</summary>
    public void Dispose() => _marker?.Dispose();

    /// <summary>Runs until cancelled; ends without an error.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        for (var attempt = 1; !stop.IsCancellationRequested; attempt++)
        {
            var before = Progress.Position;
            try
            {
                if (!await _lag.RunAsync(RunFromDurablePositionAsync, stop).ConfigureAwait(false))
                    return;
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
                if (!await WaitForDecisionAsync(e.Conflict, stop).ConfigureAwait(false))
                    break;
            }
            catch (Exception e)
            {
                if (Progress.Position > before)
                    attempt = 1;
                if (!await WaitAfterAsync(e, attempt, stop).ConfigureAwait(false))
                    break;
            }
        }

        _context.Failures.Flush();
        Progress.SetState(EtlTaskState.Stopped);
        _context.Logger.Stopped(_context.Name, Progress.Position);
    }

    private Task<bool> WaitAfterAsync(Exception e, int attempt, CancellationToken stop)
    {
        var delay = _retry.Next(attempt, isTransient: false);
        var stopped = e as TaskStoppedException;
        if (stopped is not null)
            _context.Logger.StoppedBefore(_context.Name, stopped.LogMessage, delay);
        else if (e is ScriptRuntimeException script)
            _context.Logger.ScriptFailed(_context.Name, (script.InnerException ?? script).GetType().Name, delay);
        else
            _context.Logger.Failed(e, _context.Name, delay);
        return _retry.WaitAsync(
            EtlTaskState.Failed,
            e.Message,
            stopped?.Class ?? FailureClass.Permanent,
            attempt,
            delay,
            stop
        );
    }

    /// <summary>
    /// Waits until the task is woken, as a decision does. Returns <see langword="false"/> if it was stopped.
    /// </summary>
    private async Task<bool> WaitForDecisionAsync(TaskConflict conflict, CancellationToken stop)
    {
        _context.Logger.Blocked(_context.Name, conflict.Reason);
        Progress.Block(conflict);
        try
        {
            await _wake.WhenSet.WaitAsync(stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return false;
        }

        _wake.Reset();
        return true;
    }

    private async Task RunFromDurablePositionAsync(CancellationToken stop)
    {
        await RegisterAsync(stop).ConfigureAwait(false);
        var cursor = Feed.OpenCursor(_context.Consumer, _context.FeedFilter);
        var run = await _guard.BeginAsync(cursor, stop).ConfigureAwait(false);
        FindWork(cursor);
        var sink = _connector.CreateSink(
            new SinkContext(_context.Name, Feed.DatabaseId, _context.Time, _context.Options.Loggers) { Run = run }
        );
        try
        {
            var target = new TargetSession(_context, sink, run, _guard, _retry);
            var position = new SentPosition(_context, cursor);
            await target
                .ConnectAsync(mayGiveUp: Plan.Task.OnError != ErrorPolicy.Stop && !cursor.AwaitsResync, stop)
                .ConfigureAwait(false);
            position.MoveTo(
                target.Stored.Begin(position.Value, rereads: Plan.Task.DeleteAfterSend || _context.FollowsLoads)
            );
            if (cursor.AwaitsResync)
                await BeginResyncAsync(cursor, position, stop).ConfigureAwait(false);
            else
                WarnOfLostDeletions(cursor, position.Value);
            _context.Logger.Started(_context.Name, position.Value, Plan.Connection.Name);
            await RunBothAsync(cursor, sink, target, position, run, stop).ConfigureAwait(false);
        }
        catch (TargetConflictException e)
        {
            throw new TaskBlockedException(await _guard.KeepConflictAsync(run, e, cursor, stop).ConfigureAwait(false));
        }
        finally
        {
            await CloseAsync(sink).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Finds marked dead letters and an open replay before the sink connects, since a run without work must not wait
    /// for its target.
    /// </summary>
    private void FindWork(DurableCursor cursor)
    {
        using var snapshot = Feed.OpenSnapshot(cursor.Name);
        var letters = new DeadLetterIndex(_context.Name);
        letters.Look(snapshot);
        _letters = letters;
        Progress.Begin(cursor.Position, ReplayJob.Read(snapshot, _context.Name)?.ToStatus(), cursor.AwaitsResync);
    }

    /// <summary>
    /// Continues at the feed's end and resends all documents up to there alongside new changes. Message ids are the
    /// original ones.
    /// </summary>
    private async Task BeginResyncAsync(DurableCursor cursor, SentPosition position, CancellationToken stop)
    {
        var id = _context.Time.GetUtcNow().UtcTicks;
        ReplayJob JobUpTo(long through) => new(0, through, null) { Id = id, IsResync = true };
        var end = await cursor
            .BeginResyncAsync(
                through => new FeedEffects
                {
                    States = [new(ReplayJob.KeyOf(_context.Name), JobUpTo(through).ToBytes())],
                },
                stop
            )
            .ConfigureAwait(false);
        Progress.SetReplay(JobUpTo(end).ToStatus());
        Progress.AwaitResync(false);
        position.MoveTo(end);
        _context.Logger.ResyncBegins(_context.Name, end);
    }

    /// <summary>
    /// Warns of deletions that a task may have missed between its removal and its return to the configuration.
    /// </summary>
    private void WarnOfLostDeletions(DurableCursor cursor, long position)
    {
        if (!_context.FeedFilter.Deletes || position == 0)
            return;
        using var snapshot = Feed.OpenSnapshot(cursor.Name);
        if (snapshot.PurgedThrough > position)
            _context.Logger.DeletionsLost(_context.Name, position, snapshot.PurgedThrough);
    }

    private async Task RunBothAsync(
        DurableCursor cursor,
        IMessageSink sink,
        TargetSession target,
        SentPosition position,
        TaskRun run,
        CancellationToken stop
    )
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var batches = new BatchQueue();
        _batches = batches;
        var order = new ReplayOrder(_context.Name);
        var reader = NewReader(cursor, batches, order);
        var sender = NewSender(cursor, sink, target, position, order);
        var reading = EndsOtherAsync(reader.RunAsync(position.Value, () => _guard.CheckLineage(run), both.Token), both);
        var sending = EndsOtherAsync(sender.RunAsync(batches, ReadGate, _marker, both.Token), both);
        try
        {
            await Task.WhenAll(reading, sending).ConfigureAwait(false);
        }
        catch (Exception) when (FirstFault(reading, sending) is { } fault)
        {
            // Throw the error of the loop that failed, not of the one that was cancelled because of it.
            ExceptionDispatchInfo.Throw(fault);
        }
        finally
        {
            // Batches in flight are read again.
            _batches = new BatchQueue();
            ReadGate.StepAside();
            _lag.Passed = position.Value;
            await position.StoreSkippedAsync().ConfigureAwait(false);
        }
    }

    private ChangeReader NewReader(DurableCursor cursor, BatchQueue batches, ReplayOrder order)
    {
        var letters = _letters;
        var dependencies = _context.FollowsLoads ? new LoadDependencies(_context.Name) : null;
        using (var snapshot = Feed.OpenSnapshot(cursor.Name))
        {
            letters.Look(snapshot);
            dependencies?.Continue(snapshot);
        }

        var transform = new ChangeTransform(_context, letters, dependencies, _failing, _marker);
        return new ChangeReader(_context, cursor, batches, ReadGate, _marker, _readerRetry)
        {
            Letters = new LetterBatches(_context, letters, transform),
            Replay = new ReplayBatches(_context, _wake, order, transform),
            Changes = new ChangeBatches(_context, cursor, letters, dependencies, transform, _failing, _sizer),
            Sizer = _sizer,
            Failing = _failing,
            Wake = _wake,
        };
    }

    private BatchSender NewSender(
        DurableCursor cursor,
        IMessageSink sink,
        TargetSession target,
        SentPosition position,
        ReplayOrder order
    )
    {
        var deadLetters = _letters;
        var faults = new KnownFaults(sink, deadLetters, _context.HoldsKeys);
        var letters = new MessageLetters(_context, deadLetters);
        var messages = new BatchDelivery(_context, cursor, position, target, faults, letters, _failing)
        {
            Sizer = _sizer,
            Oversize = sink.FailsAtOversize ? new OversizeStop(_context, _failing) : null,
        };
        return new BatchSender(
            _context,
            position,
            messages,
            new LetterDelivery(_context, cursor, position, target, faults, letters, deadLetters),
            order
        );
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
        foreach (var task in tasks)
        {
            if (task.IsFaulted)
                return task.Exception!.InnerExceptions[0];
        }

        return null;
    }

    private async Task CloseAsync(IMessageSink sink)
    {
        try
        {
            await sink.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _context.Logger.CloseFailed(e, _context.Name);
        }
    }
}
