using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Makes batches of the changes after a position: the live tail of a task.</summary>
internal sealed class ChangeBatches(
    TaskContext context,
    DurableCursor cursor,
    DeadLetterIndex letters,
    LoadDependencies? dependencies,
    ChangeTransform transform,
    FailingChange failing,
    BatchSizer sizer
)
{
    /// <summary>Prepares the changes after a position.</summary>
    /// <param name="position">The position.</param>
    /// <param name="size">The maximum number of changes.</param>
    /// <param name="prepared">The batch to fill. It has a fault if the change after its last one failed.</param>
    /// <param name="stop">Ends it.</param>
    public void Prepare(long position, int size, PreparedBatch prepared, CancellationToken stop)
    {
        using var activity = EtlTelemetry.Activities.StartActivity("etl transform");
        activity?.SetTag(EtlTelemetry.TaskTag, context.Name);
        long maxBytes = context.Task.Batch.MaxBytes,
            started = context.Time.GetTimestamp();
        transform.BeforeSnapshot();
        using var batch = cursor.ReadBatch(position, size, maxBytes);
        letters.Look(batch.Snapshot);
        var read = context.Time.GetTimestamp();
        transform.Begin(batch.Snapshot, prepared, batch.Position);
        prepared.Position = batch.Position;
        var separate = failing.Separate;
        for (var i = 0; i < batch.Changes.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            var change = batch.Changes[i];
            transform.Reach(batch.Changes, i, prepared, stop);
            var isLast = change.Position == separate;
            if (isLast && prepared.Documents > 0 || !Take(change, batch.Snapshot, prepared, stop))
            {
                prepared.Position = prepared.Documents > 0 ? change.Position - 1 : position;
                break;
            }

            if (!isLast && prepared.Bytes < maxBytes || i == batch.Changes.Count - 1)
                continue;
            prepared.Position = change.Position;
            break;
        }

        transform.End(prepared);
        sizer.Observe(prepared.Documents, batch.IsAtEnd && prepared.Position == batch.Position);
        activity?.SetTag("pipeline.etl.documents", prepared.Documents);
        if (prepared.Documents == 0)
            return;
        Report(context.Time.GetElapsedTime(started, read), context.Time.GetElapsedTime(read));
    }

    /// <summary>
    /// Processes a change: first the document itself, if the task takes it, and then the documents that loaded it.
    /// </summary>
    /// <returns>Whether the change is done. If not, it ends this batch and begins the next one.</returns>
    private bool Take(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, CancellationToken stop)
    {
        if (dependencies is null)
            return transform.Take(change, snapshot, prepared, stop);
        var goesOn = dependencies.Underway is { } underway && underway.Position == change.Position;
        if (!goesOn)
        {
            dependencies.Underway = null;
            dependencies.Clear();
            if (
                !context.Filter.Takes(change.Document.Collection)
                || change.Document.IsDeleted && !context.Filter.Deletes
            )
            {
                dependencies.Forget(change.Document.Id);
            }
            else if (!transform.Take(change, snapshot, prepared, stop))
            {
                return false;
            }
        }

        foreach (
            (var key, var id) in dependencies.DependentsOf(
                change.Document.Id,
                change.Position,
                goesOn ? dependencies.Underway!.Value.After : ""
            )
        )
        {
            stop.ThrowIfCancellationRequested();
            dependencies.Underway ??= (change.Position, "");
            if (prepared.Bytes >= context.Task.Batch.MaxBytes || prepared.Documents >= context.Task.Batch.MaxDocuments)
                return false;

            // A dependent that has changed since then is sent for its own change.
            if (
                snapshot.TryLoad(id, out var dependent)
                && context.Filter.Takes(dependent.Collection)
                && dependent.Version.Position < change.Position
            )
            {
                dependencies.Clear();
                if (
                    !transform.Resend(
                        new FeedChange(change.Position, dependent, dependent.Body.Data.Length),
                        snapshot,
                        prepared,
                        stop
                    )
                )
                {
                    return false;
                }
            }

            dependencies.Underway = (change.Position, key);
        }

        dependencies.Underway = null;
        return true;
    }

    private void Report(TimeSpan extract, TimeSpan transforming)
    {
        EtlTelemetry.ExtractDuration.Record(extract.TotalSeconds, context.Tag);
        EtlTelemetry.TransformDuration.Record(transforming.TotalSeconds, context.Tag);
        context.Progress.AddTimes(extract, transforming);
    }
}
