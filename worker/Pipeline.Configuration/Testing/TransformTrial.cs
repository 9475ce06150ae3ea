using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Configuration.Testing;

/// <summary>What a task's transform makes of some documents, by the way that the task itself runs it.</summary>
/// <param name="Messages">What it sent.</param>
/// <param name="Error">The first error; <see langword="null"/> if there was none.</param>
/// <param name="ErrorText">The error with its place in the file.</param>
/// <param name="NotTaken">
/// The document that the task does not read, and why; <see langword="null"/> if it reads all.
/// </param>
internal sealed record TransformTrial(
    IReadOnlyList<OutgoingMessage> Messages,
    Exception? Error,
    string? ErrorText,
    string? NotTaken
)
{
    /// <summary>Runs it over documents in their order, in a database that has the id of tests.</summary>
    public static TransformTrial Run(
        string database,
        EtlTaskConfiguration task,
        TransformScript script,
        IScriptDocuments documents,
        IReadOnlyList<ScriptDocument> changed,
        CancellationToken cancellationToken
    ) =>
        Run(
            new MessageCollector(task, TestDocuments.DatabaseId, database),
            task,
            script,
            documents,
            changed,
            cancellationToken
        );

    /// <summary>Runs it over documents in their order; the collector decides the ids of the messages.</summary>
    public static TransformTrial Run(
        MessageCollector collector,
        EtlTaskConfiguration task,
        TransformScript script,
        IScriptDocuments documents,
        IReadOnlyList<ScriptDocument> changed,
        CancellationToken cancellationToken
    )
    {
        var run = new TransformRun(task, script, collector, documents);
        var batch = new PreparedBatch();
        var filter = task.ToFilter();
        string? notTaken = null;
        foreach (var document in changed)
        {
            if (document.IsDeleted && !filter.Deletes)
            {
                notTaken ??= $"the task takes no deletions, such as that of '{document.Id}'";
            }
            else if (!filter.Takes(document.Collection))
            {
                notTaken ??= $"the task takes no documents of '{document.Collection}', such as '{document.Id}'";
            }
            else if (
                run.Run(new FeedChange(document.Version.Position, document, 0), batch, cancellationToken) is { } error
            )
            {
                return new TransformTrial([], error, Describe(task, error), notTaken);
            }
        }

        return new TransformTrial(batch.Messages, null, null, notTaken);
    }

    private static string Describe(EtlTaskConfiguration task, Exception error)
    {
        return error is ScriptRuntimeException script && task.Locate(script) is var (file, line, column)
            ? $"{error.Message} ({Path.GetFileName(file)}:{line}:{column})"
            : error.Message;
    }
}
