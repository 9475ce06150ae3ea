using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Runs a task's transform over one change after another, and puts the result of each into a batch: messages, a dead
/// letter, or the fault that ends the batch. Used by the reader only.
/// </summary>
internal sealed class ChangeTransform
{
    private readonly TaskContext _context;
    private readonly DeadLetterIndex _letters;
    private readonly LoadDependencies? _dependencies;
    private readonly FailingChange _failing;
    private readonly RunMarker? _marker;
    private readonly MessageCollector _collector;
    private readonly TransformRun _run;
    private readonly TransformAhead? _ahead;
    private readonly DeadLetterWriter _deadLetters;

    public ChangeTransform(
        TaskContext context,
        DeadLetterIndex letters,
        LoadDependencies? dependencies,
        FailingChange failing,
        RunMarker? marker
    )
    {
        (_context, _letters, _dependencies, _failing, _marker) = (context, letters, dependencies, failing, marker);
        var feed = context.Feed;
        _collector = new MessageCollector(context.Task, feed.DatabaseId, feed.DatabaseName, () => feed.Lineages);
        _run = new TransformRun(context.Task, context.Plan.Transform, _collector);
        _ahead = context.Task.MaxParallelRuns > 1 ? new TransformAhead(context.Plan, feed, context.Consumer) : null;
        _deadLetters = new DeadLetterWriter(context.Task, context.Time);
    }

    private EtlTaskConfiguration Task => _context.Task;

    /// <summary>Must be called before the snapshot of the next batch is opened.</summary>
    public void BeforeSnapshot() => _dependencies?.DropDurable();

    /// <summary>Begins a batch: its scripts load from this snapshot.</summary>
    /// <param name="snapshot">The snapshot.</param>
    /// <param name="prepared">The batch to fill.</param>
    /// <param name="through">The position of its last change; <see langword="null"/> if it is not of the live tail.</param>
    public void Begin(IFeedSnapshot snapshot, PreparedBatch prepared, long? through)
    {
        _marker?.Mark(through);
        _dependencies?.Begin(snapshot, prepared);
        _run.Context.Documents = _dependencies ?? (IScriptDocuments)snapshot;
    }

    /// <summary>Ends a batch. What its documents loaded is stored with its effects.</summary>
    public void End(PreparedBatch prepared)
    {
        _run.Context.Documents = null;
        _dependencies?.End(prepared);
    }

    /// <summary>
    /// Announces the next change of a batch, so that its transform and those after it can run on several threads.
    /// </summary>
    public void Reach(IReadOnlyList<FeedChange> changes, int at, PreparedBatch prepared, CancellationToken stop) =>
        _ahead?.Reach(changes, at, prepared, Task.Batch.MaxBytes, stop);

    /// <summary>
    /// Transforms a change. A change that fails becomes a dead letter, is skipped or ends the batch, according to the
    /// task's policy.
    /// </summary>
    /// <returns>Whether the change is done. If not, it ends this batch and begins the next one.</returns>
    public bool Take(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, CancellationToken stop)
    {
        if (_context.HoldsKeys && HoldKey.OfDocument(change.Document.Id) is var key && _letters.IsHeld(key))
        {
            prepared.Documents++;
            prepared.Failures.Add(FailureClass.Held);
            Park(change, null, 0, key, snapshot, prepared);
            return true;
        }

        var before = prepared.Messages.Count;
        if (_ahead is null || !_ahead.TryTake(prepared, out var error))
            error = _run.Run(change, prepared, stop);
        if (error is null)
        {
            prepared.Documents++;
            if (prepared.Messages.Count == before)
                prepared.Filtered++;
            _dependencies?.Keep(change.Document);
            return true;
        }

        var runs = _failing.RunsAt(change.Position);
        var isReplay = prepared.Origin == BatchOrigin.Replay;
        var stops = runs >= Task.Retry.Attempts.Script && Task.OnError == ErrorPolicy.Stop;
        if (!isReplay && (stops || runs < Task.Retry.Attempts.Script))
        {
            if (prepared.Documents == 0)
                _failing.KeepRuns(change.Position, runs);
            if (stops)
                _failing.SeparateFrom(change.Position);
            prepared.Fault = stops
                ? new TaskStoppedException(change.Document.Id, error.Message, FailureClass.Script, error)
                : error;
            return false;
        }

        _failing.ForgetRuns();
        prepared.Documents++;
        prepared.Failures.Add(FailureClass.Script);
        if (Task.OnError == ErrorPolicy.Skip)
        {
            _context.Failures.Add(
                FailureOutcome.LeftOut,
                change.Document.Id,
                FailureClass.Script,
                error.Message,
                error
            );
        }
        else
        {
            Park(
                change,
                error,
                runs,
                _context.HoldsKeys ? HoldKey.OfDocument(change.Document.Id) : null,
                snapshot,
                prepared
            );
        }

        return true;
    }

    /// <summary>Does the same for a document that is resent because a document that it loads has changed.</summary>
    public bool Resend(in FeedChange change, IFeedSnapshot snapshot, PreparedBatch prepared, CancellationToken stop)
    {
        _collector.IsResend = true;
        try
        {
            return Take(change, snapshot, prepared, stop);
        }
        finally
        {
            _collector.IsResend = false;
        }
    }

    /// <summary>Transforms a change without applying the task's policy to a failure.</summary>
    /// <param name="change">The change.</param>
    /// <param name="prepared">The batch that receives its messages.</param>
    /// <param name="keepsLoads">Whether its loads are recorded.</param>
    /// <param name="only">The number of the only message to keep; negative for all.</param>
    /// <param name="stop">Ends the run.</param>
    /// <returns>Why it failed, or <see langword="null"/>.</returns>
    public Exception? TakeAlone(
        in FeedChange change,
        PreparedBatch prepared,
        bool keepsLoads,
        int only,
        CancellationToken stop
    )
    {
        _dependencies?.Clear();
        if (_run.Run(change, prepared, stop) is { } error)
            return error;
        if (keepsLoads)
            _dependencies?.Keep(change.Document);
        _collector.KeepOnly(only);
        return null;
    }

    private void Park(
        in FeedChange change,
        Exception? error,
        int attempts,
        string? holds,
        IFeedSnapshot snapshot,
        PreparedBatch prepared
    )
    {
        // The letter belongs to the document's own change, whichever change it was resent for.
        var own = _collector.IsResend ? change with { Position = change.Document.Version.Position } : change;
        var letter = _deadLetters.ForChange(own, error, attempts, holds, snapshot);
        if (holds is not null)
            _letters.Hold(holds, letter.Key, change.Document.Id, own.Position, isHeld: error is null);
        prepared.DeadLetters.Add(letter);
        prepared.Bytes += letter.Value.Length;
        _context.Failures.Add(
            FailureOutcome.Parked,
            change.Document.Id,
            error is null ? FailureClass.Held : FailureClass.Script,
            error?.Message ?? DeadLetterWriter.HeldReason(holds),
            error
        );
    }
}
