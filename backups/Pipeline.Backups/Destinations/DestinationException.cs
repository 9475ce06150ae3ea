namespace Pipeline.Backups.Destinations;

/// <summary>A destination refused, or did not answer.</summary>
/// <param name="destination">The destination, as its description names it.</param>
/// <param name="operation">What was tried, such as "writing chunks/ab/abcd".</param>
/// <param name="reason">What came of it.</param>
/// <param name="isTransient">Whether another try may succeed.</param>
/// <param name="cause">The error below.</param>
public sealed class DestinationException(string destination, string operation, string reason, bool isTransient, Exception? cause = null)
    : BackupException($"{destination}: {operation}: {reason.TrimEnd('.')}.", cause)
{
    /// <summary>Whether another try may succeed.</summary>
    public bool IsTransient { get; } = isTransient;
}
