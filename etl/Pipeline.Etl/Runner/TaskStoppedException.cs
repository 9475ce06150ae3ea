using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>A task with <c>onError: stop</c> stands before a change that fails; everything before it is sent.</summary>
internal sealed class TaskStoppedException(string document, string reason, FailureClass failure, Exception? inner = null)
    : Exception($"stopped before '{document}' (onError: stop): {reason}", inner)
{
    /// <summary>The kind of error.</summary>
    public FailureClass Class => failure;
}
