using Pipeline.Etl.Configuration;
using Pipeline.Scripting;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Transforms;

/// <summary>
/// Runs a transform over a change. Tasks, tests and previews all use it. Used by one thread at a time.
/// </summary>
/// <param name="task">The task of the transform; its limits apply.</param>
/// <param name="script">The transform.</param>
/// <param name="collector">Receives its messages.</param>
/// <param name="documents">The source of loaded documents, or <see langword="null"/> if each batch sets it.</param>
internal sealed class TransformRun(
    EtlTaskConfiguration task,
    TransformScript script,
    MessageCollector collector,
    IScriptDocuments? documents = null
)
{
    /// <summary>The settings of script runs.</summary>
    public ScriptContext Context { get; } = new(collector, documents, task.Limits.ToScriptLimits());

    /// <summary>
    /// Runs the transform and adds its messages to the batch. If it fails, the batch gets no message of this change.
    /// </summary>
    /// <returns>
    /// Why it failed, or <see langword="null"/>. Errors that are not the document's fault are thrown.
    /// </returns>
    public Exception? Run(in FeedChange change, MessageBuffer batch, CancellationToken stop)
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
        if (error is OutOfMemoryException || error is OperationCanceledException && stop.IsCancellationRequested)
            return true;
        for (var e = error; e is not null; e = e.InnerException)
        {
            if (e is StorageException)
                return true;
        }

        return false;
    }
}
