using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Transforms;

/// <summary>The one way a transform is run over a change: by tasks, by tests and by whatever tries one. Used by one thread at a time.</summary>
/// <param name="task">Whose transform it is: its limits hold.</param>
/// <param name="script">The transform.</param>
/// <param name="collector">Takes what it sends.</param>
/// <param name="documents">What it loads from; <see langword="null"/> where each batch says so.</param>
internal sealed class TransformRun(EtlTaskConfiguration task, TransformScript script, MessageCollector collector, IScriptDocuments? documents = null)
{
    /// <summary>What scripts are run with.</summary>
    public ScriptContext Context { get; } = new(collector, documents, task.Limits.ToScriptLimits());

    /// <summary>Runs it; what it sends is in the batch, unless it fails: then nothing of the change is.</summary>
    /// <returns>Why it failed, or <see langword="null"/>. Errors that are not the document's fault are thrown.</returns>
    public Exception? Run(in FeedChange change, PreparedBatch batch, CancellationToken stop)
    {
        collector.Begin(batch, change);
        Context.Document = change.Document;
        try
        {
            script.Run(Context, stop);
        }
        catch (Exception e) when (!IsFatal(e, stop))
        {
            collector.TakeBack();
            return e;
        }

        collector.Keep();
        return null;
    }

    // A database that cannot be read is not the document's fault.
    private static bool IsFatal(Exception error, CancellationToken stop)
    {
        if (error is OutOfMemoryException || error is OperationCanceledException && stop.IsCancellationRequested) return true;
        for (Exception? e = error; e is not null; e = e.InnerException)
        {
            if (e is StorageException) return true;
        }

        return false;
    }
}
