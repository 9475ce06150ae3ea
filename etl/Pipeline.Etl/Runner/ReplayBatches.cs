using Pipeline.Etl.Replays;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Makes batches of the changes that a replay resends. Finds a replay when a run begins and whenever the task is woken.
/// </summary>
internal sealed class ReplayBatches(TaskContext context, WakeSignal wake, ReplayOrder order, ChangeTransform transform)
{
    private readonly List<FeedChange> _changes = [];
    private ReplayJob? _replay;
    private bool _looked;

    /// <summary>Makes the next batch of a replay, or returns <see langword="null"/> if there is none.</summary>
    public PreparedBatch? Prepare(long position, BatchQueue batches, CancellationToken stop)
    {
        var isWoken = wake.IsSet;
        if (_replay is null && !isWoken && _looked)
            return null;
        if (isWoken)
            wake.BeginLook();

        transform.BeforeSnapshot();
        using var snapshot = context.Feed.OpenSnapshot(context.Consumer);
        if (_replay is null || isWoken)
            Find(snapshot, position);
        _looked = true;
        if (isWoken)
        {
            wake.EndLook();
            context.Progress.Notify();
        }

        if (_replay is not { } job)
            return null;
        var prepared = batches.NewBatch();
        (prepared.Origin, prepared.Position) = (BatchOrigin.Replay, position);
        var at = Fill(prepared, job, snapshot, stop);
        job.At = at;
        var isDone = at >= job.Through;
        prepared.Effects = isDone ? ReplayJob.End(context.Name) : job.Progress(context.Name, at);
        transform.End(prepared);
        prepared.ReplayAt = isDone ? null : job.ToStatus();
        prepared.EndsReplay = isDone;
        if (isDone)
            _replay = null;
        return prepared;
    }

    private long Fill(PreparedBatch prepared, ReplayJob job, IFeedSnapshot snapshot, CancellationToken stop)
    {
        var limits = context.Task.Batch;
        _changes.Clear();
        var at = ReplayReader.Read(
            snapshot,
            job,
            job.At,
            context.Filter,
            limits.MaxDocuments,
            limits.MaxBytes,
            _changes
        );
        transform.Begin(snapshot, prepared, through: null);
        for (var i = 0; i < _changes.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            var change = _changes[i];
            transform.Reach(_changes, i, prepared, stop);
            transform.Take(change, snapshot, prepared, stop);
            if (prepared.Bytes >= limits.MaxBytes)
                return change.Position;
        }

        return at;
    }

    /// <summary>Adopts the state in the database: a replay that was started or cancelled.</summary>
    private void Find(IFeedSnapshot snapshot, long position)
    {
        var kept = ReplayJob.Read(snapshot, context.Name);
        if (kept is not null && _replay is not null)
            return;
        if (kept is null)
        {
            context.Progress.SetReplay(null);
            _replay = null;
            order.End();
            return;
        }

        // The live tail sends the changes after the position.
        _replay = kept with
        {
            Through = Math.Min(kept.Through, position),
            At = kept.At,
        };
        order.Begin(_replay.Through);
        context.Progress.SetReplay(_replay.ToStatus());
        context.Logger.ReplayBegins(context.Name, kept.At, _replay.Through);
    }
}
