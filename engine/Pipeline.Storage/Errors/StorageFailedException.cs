namespace Pipeline.Storage;

/// <summary>
/// An earlier write or sync failed, so the content of the disk is unknown. The environment refuses writes until it is
/// closed and reopened. Reads continue. After reopening, the transaction that failed may or may not be committed.
/// </summary>
public sealed class StorageFailedException : StorageException
{
    /// <summary>Names the file and the operation that failed.</summary>
    public StorageFailedException(string path, string operation, Exception? cause)
        : base(
            $"{path}: {operation} failed{(cause is null ? "" : $" ({cause.Message})")}; writes are refused until the store is closed and opened again.",
            cause
        )
    {
        Path = path;
        Operation = operation;
    }

    /// <summary>The file or folder.</summary>
    public string Path { get; }

    /// <summary>The failed operation, for example "journal write" or "data sync".</summary>
    public string Operation { get; }
}
