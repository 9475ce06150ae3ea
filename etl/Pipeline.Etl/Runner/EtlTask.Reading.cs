using System.Collections.Concurrent;
using System.Threading.Channels;
using Pipeline.Database.Scripts;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    // Batches that were sent, to be filled again. Three exist at most: one being filled, one waiting, one being sent.
    private readonly ConcurrentBag<PreparedBatch> _free = [];

    private async Task ReadAsync(DurableCursor cursor, long position, ChannelWriter<PreparedBatch> queue, InFlightGate gate, CancellationToken stop)
    {
        var run = new TransformRun(_plan.Transform, _collector, new ScriptContext(_collector, limits: _task.Limits.ToScriptLimits()));
        while (true)
        {
            await WaitForWorkAsync(cursor, position, gate, stop).ConfigureAwait(false);
            if (!_free.TryTake(out PreparedBatch? prepared)) prepared = new PreparedBatch();
            prepared.Reset();
            Prepare(cursor, position, prepared, run, stop);
            position = prepared.Position;
            gate.Enter();
            await queue.WriteAsync(prepared, stop).ConfigureAwait(false);
        }
    }

    /// <summary>Returns when there is something to read and either nobody is sending or a whole batch is there: while one batch is on its way the next one
    /// grows, so that many small changes do not become many small steps.</summary>
    private async Task WaitForWorkAsync(DurableCursor cursor, long position, InFlightGate gate, CancellationToken stop)
    {
        if (cursor.LastPosition <= position)
        {
            if (!gate.IsBusy) _progress.SetState(EtlTaskState.Idle);
            await cursor.WaitForChangeAsync(position, stop).ConfigureAwait(false);
        }

        long whole = position + _sizer.Size - 1;
        if (!gate.IsBusy || cursor.LastPosition > whole) return;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task full = cursor.WaitForChangeAsync(whole, either.Token);
        await Task.WhenAny(full, gate.WhenEmptyAsync()).ConfigureAwait(false);
        await either.CancelAsync().ConfigureAwait(false);
        await full.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
    }

    private void Prepare(DurableCursor cursor, long position, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        using var activity = EtlTelemetry.Activities.StartActivity("etl transform");
        activity?.SetTag(EtlTelemetry.TaskTag, _task.Name);
        int size = _sizer.Size;
        using CursorBatch batch = cursor.ReadBatch(position, size, _task.Batch.MaxBytes);
        run.Context.Documents = batch.Snapshot;
        prepared.Position = batch.Position;
        for (int i = 0; i < batch.Changes.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            FeedChange change = batch.Changes[i];
            Transform(change, batch.Snapshot, prepared, run, stop);
            if (prepared.Bytes < _task.Batch.MaxBytes || i == batch.Changes.Count - 1) continue;
            prepared.Position = change.Position;
            break;
        }

        run.Context.Documents = null;
        _sizer.Observe(prepared.Documents, batch.IsAtEnd && prepared.Position == batch.Position);
        activity?.SetTag("pipeline.etl.documents", prepared.Documents);
    }

    private void Transform(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        prepared.Documents++;
        if (run.Run(change, prepared, stop) is { } error)
        {
            var letter = _readerDeadLetters.ForChange(change, error, snapshot);
            prepared.DeadLetters.Add(letter);
            prepared.Bytes += letter.Value.Length;
            _logger.DeadLettered(_task.Name, change.Document.Id, error.Message);
            return;
        }

        if (_collector.Count == 0) prepared.Filtered++;
    }
}
