namespace Pipeline.Etl.Runner;

/// <summary>A task with <c>onError: stop</c> stands before a change that fails; everything before it is sent.</summary>
internal sealed class TaskStoppedException(string document, string reason, Exception? inner = null)
    : Exception($"stopped before '{document}' (onError: stop): {reason}", inner);
