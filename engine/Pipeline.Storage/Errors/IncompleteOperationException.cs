namespace Pipeline.Storage;

/// <summary>
/// An operation caught an error of the store after it had changed something and went on. It was rolled back as a whole,
/// since half a change would have been committed.
/// </summary>
public sealed class IncompleteOperationException : StorageException
{
    /// <summary>Names the error that was caught.</summary>
    public IncompleteOperationException(Exception cause)
        : base(
            $"A write operation caught an error after it had changed something, so its changes are incomplete ({cause?.Message.TrimEnd('.')}). No change was committed. Let the error leave the operation, or check before the first change.",
            cause
        ) { }
}
