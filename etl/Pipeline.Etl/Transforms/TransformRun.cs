using Pipeline.Database.Scripts;
using Pipeline.Etl.Runner;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Transforms;

/// <summary>The one way a transform is run over a change: by tasks, by tests and by whatever tries one. Used by one thread at a time.</summary>
internal sealed class TransformRun(TransformScript script, MessageCollector collector, ScriptContext context)
{
    /// <summary>What scripts are run with.</summary>
    public ScriptContext Context => context;

    /// <summary>Runs it; what it sends is in the batch, unless it fails: then nothing of the change is.</summary>
    /// <returns>Why it failed, or <see langword="null"/>. Errors that are not the document's fault are thrown.</returns>
    public Exception? Run(in FeedChange change, PreparedBatch batch, CancellationToken stop)
    {
        collector.Begin(batch, change);
        context.Document = change.Document;
        try
        {
            script.Run(context, stop);
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
