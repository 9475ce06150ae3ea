using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Scripting;

namespace Pipeline.Etl.Runner;

/// <summary>A task has stopped before a change that fails; everything before it was sent. The task has <c>onError:
/// stop</c>, or its connection has <c>oversize: fail</c>.</summary>
internal sealed class TaskStoppedException(
    string document,
    string reason,
    FailureClass failure,
    Exception? inner = null,
    string policy = " (onError: stop)"
) : Exception($"stopped before '{document}'{policy}: {reason}", inner)
{
    /// <summary>
    /// The message for the log. It leaves out a script's message, which may contain text of a document.
    /// </summary>
    public string LogMessage =>
        InnerException is ScriptRuntimeException script
            ? $"stopped before '{document}'{policy}: the script failed with {(script.InnerException ?? script).GetType().Name}; the task's state has the message"
            : Message;

    /// <summary>The kind of error.</summary>
    public FailureClass Class => failure;
}

/// <summary>The task does not run until a person decides.</summary>
internal sealed class TaskBlockedException(TaskConflict conflict) : Exception(conflict.Reason)
{
    public TaskConflict Conflict { get; } = conflict;
}

/// <summary>
/// The database has begun another lineage while the task ran. The task starts a new run, which detects it.
/// </summary>
internal sealed class LineageChangedException : Exception;

/// <summary>
/// A target that commits a batch as a whole must resend it without the messages whose key a refused message holds.
/// </summary>
internal sealed class ResendException() : Exception("the batch is resent without the messages whose key is held");

/// <summary>
/// A change that fails must get a separate batch. The task drops the changes in memory and at once rereads those before
/// the failing one.
/// </summary>
internal sealed class SplitBatchException()
    : Exception("the batch is reread up to but not including the change that fails");
