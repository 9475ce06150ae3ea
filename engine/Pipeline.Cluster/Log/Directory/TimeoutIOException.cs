namespace Pipeline.Cluster;

/// <summary>
/// Another process held the lock of a directory log for too long, for example because it was stopped.
/// </summary>
internal sealed class TimeoutIOException(string message, Exception inner) : IOException(message, inner);
