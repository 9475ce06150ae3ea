using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    /// <summary>What the batch's scripts load from.</summary>
    private IScriptDocuments Follow(IFeedSnapshot snapshot, PreparedBatch prepared)
    {
        if (_dependencies is null) return snapshot;
        _dependencies.Begin(snapshot, prepared);
        return _dependencies;
    }

    /// <summary>Processes a change: first the document itself, if the task takes it, and then the documents that loaded it.</summary>
    /// <returns>Whether the change is done. If not, it ends this batch and begins the next one.</returns>
    private bool Take(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        if (_dependencies is not { } dependencies) return Transform(change, snapshot, prepared, run, stop);
        bool goesOn = dependencies.Underway is { } underway && underway.Position == change.Position;
        if (!goesOn)
        {
            dependencies.Underway = null;
            dependencies.Clear();
            if (!_filter.Takes(change.Document.Collection) || change.Document.IsDeleted && !_filter.Deletes) dependencies.Forget(change.Document.Id);
            else if (!Transform(change, snapshot, prepared, run, stop)) return false;
        }

        foreach ((string key, string id) in dependencies.DependentsOf(change.Document.Id, change.Position, goesOn ? dependencies.Underway!.Value.After : ""))
        {
            stop.ThrowIfCancellationRequested();
            dependencies.Underway ??= (change.Position, "");
            if (prepared.Bytes >= _task.Batch.MaxBytes || prepared.Documents >= _task.Batch.MaxDocuments) return false;

            // A dependent that has changed since then is sent for its own change.
            if (snapshot.TryLoad(id, out ScriptDocument dependent) && _filter.Takes(dependent.Collection) && dependent.Version.Position < change.Position)
            {
                dependencies.Clear();
                if (!Resend(new FeedChange(change.Position, dependent, dependent.Body.Data.Length), snapshot, prepared, run, stop)) return false;
            }

            dependencies.Underway = (change.Position, key);
        }

        dependencies.Underway = null;
        return true;
    }

    private bool Resend(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, TransformRun run, CancellationToken stop)
    {
        _collector.IsResend = true;
        try
        {
            return Transform(change, snapshot, prepared, run, stop);
        }
        finally
        {
            _collector.IsResend = false;
        }
    }
}
