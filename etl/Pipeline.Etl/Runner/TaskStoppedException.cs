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
    /// <summary>The message for the log: what a script says, which may be text of a document, is not in it.</summary>
    public string LogMessage =>
        InnerException is ScriptRuntimeException script
            ? $"stopped before '{document}'{policy}: the script failed with {(script.InnerException ?? script).GetType().Name}; the task's state has the message"
            : Message;

    /// <summary>The kind of error.</summary>
    public FailureClass Class => failure;
}
