namespace Pipeline.Backups.Destinations;

/// <summary>A destination refused a request or did not answer.</summary>
/// <param name="destination">The destination's description.</param>
/// <param name="operation">The attempted operation, such as "writing chunks/ab/abcd".</param>
/// <param name="reason">The outcome.</param>
/// <param name="isTransient">Whether a retry may succeed.</param>
/// <param name="cause">The underlying error.</param>
public sealed class DestinationException(
    string destination,
    string operation,
    string reason,
    bool isTransient,
    Exception? cause = null
) : BackupException($"{destination}: {operation}: {reason.TrimEnd('.')}.", cause)
{
    /// <summary>Whether a retry may succeed.</summary>
    public bool IsTransient { get; } = isTransient;
}
