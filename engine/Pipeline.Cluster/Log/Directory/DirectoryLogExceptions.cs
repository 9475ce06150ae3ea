namespace Pipeline.Cluster;

/// <summary>A folder cannot be used as a log of several processes.</summary>
/// <param name="folder">The folder.</param>
/// <param name="reason">Why.</param>
public sealed class DirectoryLogRefusedException(string folder, string reason)
    : SharedLogException(folder, $"'{folder}' cannot be a directory log: {reason}")
{
    /// <summary>Why the folder is refused.</summary>
    public string Reason { get; } = reason;
}

/// <summary>
/// Another process held the lock of a directory log for too long, for example because it was stopped.
/// </summary>
internal sealed class DirectoryLogBusyException(string message, Exception inner) : IOException(message, inner);
