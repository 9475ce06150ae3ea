using System.Collections.Concurrent;
using System.Threading.Channels;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    // Sent batches, for reuse. At most three exist: one being filled, one waiting, one being sent.
    private readonly ConcurrentBag<PreparedBatch> _free = [];

    // The change that stops the task. It gets a separate batch, so that everything before it is sent. Set by reader and sender.
    private long _stopBefore;
    private (long Position, int Runs) _failing;
    private volatile TaskCompletionSource _woken = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends the wait for changes because there is other work.</summary>
    public void Wake() => _woken.TrySetResult();

    private async Task ReadAsync(DurableCursor cursor, long position, TaskRun run, ChannelWriter<PreparedBatch> queue, InFlightGate gate, CancellationToken stop)
    {
        var transform = new TransformRun(_task, _plan.Transform, _collector);
        using (IFeedSnapshot snapshot = _feed.OpenSnapshot(cursor.Name))
        {
            _letters.Look(snapshot);
            _dependencies?.Continue(snapshot);
        }

        while (true)
        {
            bool isStep = await _readGate.EnterAsync(stop).ConfigureAwait(false);
            CheckLineage(run);
            PreparedBatch? again;
            using (await EnterAsync(stop).ConfigureAwait(false)) again = PrepareLetters(cursor, position, transform, stop);
            if (again is not null)
            {
                await HandOnAsync(again, queue, gate, stop).ConfigureAwait(false);
                _readGate.Leave();
                continue;
            }

            PreparedBatch? replayed;
            using (await EnterAsync(stop).ConfigureAwait(false)) replayed = PrepareReplay(cursor, position, transform, stop);
            if (replayed is not null)
            {
                // The live tail continues: its batches alternate with those of the replay.
                await HandOnAsync(replayed, queue, gate, stop).ConfigureAwait(false);
                if (isStep || cursor.LastPosition <= position)
                {
                    _readGate.Leave();
                    continue;
                }
            }
            else
            {
                // Outside of the gate, which can be closed meanwhile.
                _readGate.StepAside();
                if (!await WaitForWorkAsync(cursor, position, gate, stop).ConfigureAwait(false) || !_readGate.TryEnter(out isStep)) continue;
            }

            CheckLineage(run);
            PreparedBatch prepared = NewBatch();
            using (await EnterAsync(stop).ConfigureAwait(false)) Prepare(cursor, position, isStep || _marker is { Ends: > 0 } ? 1 : _sizer.Size, prepared, transform, stop);
            if (prepared.Fault is { } fault && prepared.Documents == 0)
            {
                _readGate.StepAside();
                prepared.Loads?.SetDurable();
                await WaitForFaultAsync(fault, gate, stop).ConfigureAwait(false);
                _free.Add(prepared);
                continue;
            }

            prepared.IsBeside = prepared.Position == position;
            position = prepared.Position;
            await HandOnAsync(prepared, queue, gate, stop).ConfigureAwait(false);
            _readGate.Leave();
        }
    }

    /// <summary>The script runs until the disposal; the next process knows of it if this one ends before.</summary>
    private ValueTask<RunMarker.Run> EnterAsync(CancellationToken stop) => _marker?.EnterAsync(stop) ?? default;

    private static async Task HandOnAsync(PreparedBatch prepared, ChannelWriter<PreparedBatch> queue, InFlightGate gate, CancellationToken stop)
    {
        gate.Enter();
        await queue.WriteAsync(prepared, stop).ConfigureAwait(false);
    }

    private PreparedBatch NewBatch()
    {
        if (!_free.TryTake(out PreparedBatch? prepared)) prepared = new PreparedBatch();
        prepared.Reset();
        return prepared;
    }

    /// <summary>Returns when there are changes and either no batch is being sent or a full one is available. The next batch grows while one is being sent,
    /// so that many small changes do not become many small batches.</summary>
    /// <returns><see langword="false"/> if the task was woken for other work.</returns>
    private async Task<bool> WaitForWorkAsync(DurableCursor cursor, long position, InFlightGate gate, CancellationToken stop)
    {
        if (cursor.LastPosition <= position)
        {
            if (!gate.IsBusy) _progress.SetState(EtlTaskState.Idle);
            // All was transformed, and the process is alive.
            _marker?.Forgive();
            Task woken = _woken.Task;
            using var waiting = CancellationTokenSource.CreateLinkedTokenSource(stop);
            Task change = cursor.WaitForChangeAsync(position, waiting.Token);
            if (await Task.WhenAny(change, woken).ConfigureAwait(false) == woken)
            {
                await waiting.CancelAsync().ConfigureAwait(false);
                await change.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                stop.ThrowIfCancellationRequested();
                return false;
            }

            await change.ConfigureAwait(false);
        }

        long whole = position + _sizer.Size - 1;
        if (!gate.IsBusy || cursor.LastPosition > whole) return true;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task full = cursor.WaitForChangeAsync(whole, either.Token);
        await Task.WhenAny(full, gate.WhenEmptyAsync()).ConfigureAwait(false);
        await either.CancelAsync().ConfigureAwait(false);
        await full.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
        return true;
    }

    /// <summary>Waits for the next run over a change that fails, or stops the task once everything before it is sent.</summary>
    private async Task WaitForFaultAsync(Exception fault, InFlightGate gate, CancellationToken stop)
    {
        if (fault is TaskStoppedException)
        {
            await gate.WhenEmptyAsync().WaitAsync(stop).ConfigureAwait(false);
            throw fault;
        }

        TimeSpan delay = _readerBackoff.Next(_failing.Runs, isTransient: true);
        if (!await WaitAsync(EtlTaskState.Retrying, fault.Message, FailureClass.Script, _failing.Runs, delay, stop).ConfigureAwait(false)) stop.ThrowIfCancellationRequested();
    }

    private void Prepare(DurableCursor cursor, long position, int size, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        using var activity = EtlTelemetry.Activities.StartActivity("etl transform");
        activity?.SetTag(EtlTelemetry.TaskTag, _task.Name);
        long started = _time.GetTimestamp();
        _dependencies?.DropDurable();
        using CursorBatch batch = cursor.ReadBatch(position, size, _task.Batch.MaxBytes);
        _letters.Look(batch.Snapshot);
        long read = _time.GetTimestamp();
        run.Context.Documents = Follow(batch.Snapshot, prepared);
        prepared.Position = batch.Position;
        long stopBefore = Volatile.Read(ref _stopBefore);
        for (int i = 0; i < batch.Changes.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            FeedChange change = batch.Changes[i];
            _ahead?.Reach(batch.Changes, i, prepared, _task.Batch.MaxBytes, stop);
            bool isLast = change.Position == stopBefore;
            if (isLast && prepared.Documents > 0 || !Take(change, batch.Snapshot, prepared, run, stop))
            {
                prepared.Position = prepared.Documents > 0 ? change.Position - 1 : position;
                break;
            }

            if (!isLast && prepared.Bytes < _task.Batch.MaxBytes || i == batch.Changes.Count - 1) continue;
            prepared.Position = change.Position;
            break;
        }

        run.Context.Documents = null;
        _dependencies?.End(prepared);
        _sizer.Observe(prepared.Documents, batch.IsAtEnd && prepared.Position == batch.Position);
        activity?.SetTag("pipeline.etl.documents", prepared.Documents);
        if (prepared.Documents == 0) return;
        (TimeSpan extract, TimeSpan transform) = (_time.GetElapsedTime(started, read), _time.GetElapsedTime(read));
        EtlTelemetry.ExtractDuration.Record(extract.TotalSeconds, _tag);
        EtlTelemetry.TransformDuration.Record(transform.TotalSeconds, _tag);
        _progress.AddTimes(extract, transform);
    }

    /// <returns>Whether the change is done. If not, it ends this batch and begins the next one.</returns>
    private bool Transform(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        if (_holds && HoldKey.OfDocument(change.Document.Id) is var key && _letters.IsHeld(key))
        {
            prepared.Documents++;
            prepared.Failures.Add(FailureClass.Held);
            Park(change, null, 0, key, snapshot, prepared);
            return true;
        }

        int before = prepared.Messages.Count;
        if (_ahead is null || !_ahead.TryTake(prepared, out Exception? error)) error = run.Run(change, prepared, stop);
        if (error is null)
        {
            prepared.Documents++;
            if (prepared.Messages.Count == before) prepared.Filtered++;
            _dependencies?.Keep(change.Document);
            return true;
        }

        int runs = _failing.Position == change.Position ? _failing.Runs + 1 : 1;
        bool isReplay = prepared.Origin == BatchOrigin.Replay;
        bool stops = runs >= _task.Retry.Attempts.Script && _task.OnError == ErrorPolicy.Stop;
        if (!isReplay && (stops || runs < _task.Retry.Attempts.Script))
        {
            if (prepared.Documents == 0) _failing = (change.Position, runs);
            if (stops) Volatile.Write(ref _stopBefore, change.Position);
            prepared.Fault = stops ? new TaskStoppedException(change.Document.Id, error.Message, FailureClass.Script, error) : error;
            return false;
        }

        _failing = default;
        prepared.Documents++;
        prepared.Failures.Add(FailureClass.Script);
        if (_task.OnError == ErrorPolicy.Skip) _failures.Add(FailureOutcome.LeftOut, change.Document.Id, FailureClass.Script, error.Message, error);
        else Park(change, error, runs, _holds ? HoldKey.OfDocument(change.Document.Id) : null, snapshot, prepared);
        return true;
    }

    private void Park(in FeedChange change, Exception? error, int attempts, string? holds, IFeedSnapshot snapshot, PreparedBatch prepared)
    {
        // The letter is the document's, whichever change it was sent again for.
        FeedChange own = _collector.IsResend ? change with { Position = change.Document.Version.Position } : change;
        var letter = _readerDeadLetters.ForChange(own, error, attempts, holds, snapshot);
        if (holds is not null) _letters.Hold(holds, letter.Key, change.Document.Id, own.Position, isHeld: error is null);
        prepared.DeadLetters.Add(letter);
        prepared.Bytes += letter.Value.Length;
        _failures.Add(FailureOutcome.Parked, change.Document.Id, error is null ? FailureClass.Held : FailureClass.Script, error?.Message ?? DeadLetterWriter.HeldReason(holds), error);
    }
}
