using Pipeline.Etl.Replays;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    /// <summary>Most keys that the live tail may send while a replay is under way; they are remembered so that it does not send older messages of them.</summary>
    private const int MaxNewerKeys = 1_000_000;

    private readonly List<FeedChange> _replayed = [];
    private ReplayJob? _replay;
    private bool _looked;
    private volatile bool _isLooking;

    // The end of the replay, for the sender; negative if there is none.
    private long _replayThrough = -1;

    /// <summary>Makes the next batch of a replay, or returns <see langword="null"/> if there is none.</summary>
    private PreparedBatch? PrepareReplay(DurableCursor cursor, long position, TransformRun run, CancellationToken stop)
    {
        bool isWoken = _woken.Task.IsCompleted;
        if (_replay is null && !isWoken && _looked) return null;
        if (isWoken)
        {
            _isLooking = true;
            _woken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        _dependencies?.DropDurable();
        using IFeedSnapshot snapshot = _feed.OpenSnapshot(cursor.Name);
        if (_replay is null || isWoken) FindReplay(snapshot, position);
        _looked = true;
        if (isWoken)
        {
            _isLooking = false;
            _progress.Notify();
        }

        if (_replay is not { } job) return null;

        PreparedBatch prepared = NewBatch();
        (prepared.Origin, prepared.Position) = (BatchOrigin.Replay, position);
        _replayed.Clear();
        long at = ReplayReader.Read(snapshot, job, job.At, _filter, _task.Batch.MaxDocuments, _task.Batch.MaxBytes, _replayed);
        run.Context.Documents = Follow(snapshot, prepared);
        for (int i = 0; i < _replayed.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            FeedChange change = _replayed[i];
            _ahead?.Reach(_replayed, i, prepared, _task.Batch.MaxBytes, stop);
            Transform(change, snapshot, prepared, run, stop);
            if (prepared.Bytes < _task.Batch.MaxBytes) continue;
            at = change.Position;
            break;
        }

        run.Context.Documents = null;
        job.At = at;
        bool isDone = at >= job.Through;
        prepared.Effects = isDone ? ReplayJob.End(_task.Name) : job.Progress(_task.Name, at);
        _dependencies?.End(prepared);
        prepared.ReplayAt = isDone ? null : job.ToStatus();
        prepared.EndsReplay = isDone;
        if (isDone) _replay = null;
        return prepared;
    }

    /// <summary>Adopts the state in the database: a replay that was started or cancelled.</summary>
    private void FindReplay(IFeedSnapshot snapshot, long position)
    {
        ReplayJob? kept = ReplayJob.Read(snapshot, _task.Name);
        if (kept is not null && _replay is not null) return;
        if (kept is null)
        {
            _progress.SetReplay(null);
            _replay = null;
            Volatile.Write(ref _replayThrough, -1);
            return;
        }

        // What is behind the position, the live tail sends.
        _replay = kept with { Through = Math.Min(kept.Through, position), At = kept.At };
        Volatile.Write(ref _replayThrough, _replay.Through);
        _progress.SetReplay(_replay.ToStatus());
        _logger.ReplayBegins(_task.Name, kept.At, _replay.Through);
    }
}
