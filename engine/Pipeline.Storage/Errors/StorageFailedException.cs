namespace Pipeline.Storage;

/// <summary>
/// An earlier write or sync failed, so that it is unknown what the disk holds: the environment refuses writes until it is closed and
/// opened again. Reads go on. The transaction that met the failure may or may not be found committed after the reopening.
/// </summary>
public sealed class StorageFailedException : StorageException
{
    /// <summary>Names the file and the operation that failed.</summary>
    public StorageFailedException(string path, string operation, Exception? cause)
        : base($"{path}: {operation} failed{(cause is null ? "" : $" ({cause.Message})")}; writes are refused until the store is closed and opened again.", cause)
    {
        Path = path;
        Operation = operation;
    }

    /// <summary>The file or folder.</summary>
    public string Path { get; }

    /// <summary>What failed: for example "journal write" or "data sync".</summary>
    public string Operation { get; }
}
