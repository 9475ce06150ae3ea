using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>A task with <c>onError: stop</c>, or whose target is to fail at what is too large, stands before a change that fails; everything before it is sent.</summary>
internal sealed class TaskStoppedException(string document, string reason, FailureClass failure, Exception? inner = null, string policy = " (onError: stop)")
    : Exception($"stopped before '{document}'{policy}: {reason}", inner)
{
    /// <summary>The kind of error.</summary>
    public FailureClass Class => failure;
}
