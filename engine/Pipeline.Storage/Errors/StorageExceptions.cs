namespace Pipeline.Storage;

/// <summary>
/// The base of all errors that the storage engine raises about stored data; misuse raises the framework's argument
/// errors.
/// </summary>
public abstract class StorageException : Exception
{
    private protected StorageException(string message, Exception? cause = null)
        : base(message, cause) { }
}

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

/// <summary>
/// There is no room to grow a file. The operation was rolled back; nothing that was committed is at risk, and writes
/// work again when there is room.
/// </summary>
public sealed class DiskFullException : StorageException
{
    /// <summary>Names the file and the bytes it needs.</summary>
    public DiskFullException(string file, long neededBytes, Exception? cause = null)
        : base(
            $"{file}: no space for {neededBytes:N0} more bytes. Free space on that disk; writes are refused until then, reads continue.",
            cause
        )
    {
        File = file;
        NeededBytes = neededBytes;
    }

    /// <summary>The file that could not grow.</summary>
    public string File { get; }

    /// <summary>The bytes it was to grow by.</summary>
    public long NeededBytes { get; }
}

/// <summary>
/// A write was refused because page versions for open readers fill the memory limit. Writes work again when those
/// readers end.
/// </summary>
public sealed class ScratchFullException : StorageException
{
    /// <summary>Names the limit and the oldest reader.</summary>
    public ScratchFullException(long bytes, long limit, string? owner, long? reader, TimeSpan? age)
        : base(
            $"Page versions in memory, with what a flush would have to keep for readers, take {bytes:N0} bytes; the limit is {limit:N0} (StorageOptions.MaxScratchBytes)"
                + (
                    reader is null
                        ? "."
                        : $". The oldest reader, '{owner}' over transaction {reader}, has been open for {age} and holds them: end read transactions sooner, or set StorageOptions.MaxReaderAge."
                )
        )
    {
        Bytes = bytes;
        Limit = limit;
        ReaderOwner = owner;
        ReaderTransaction = reader;
    }

    /// <summary>Bytes that are needed.</summary>
    public long Bytes { get; }

    /// <summary>The limit.</summary>
    public long Limit { get; }

    /// <summary>
    /// The owner of the oldest reader, as given to <see cref="StorageEnvironment.BeginRead"/>, if there is one.
    /// </summary>
    public string? ReaderOwner { get; }

    /// <summary>The snapshot of the oldest reader, if there is one.</summary>
    public long? ReaderTransaction { get; }
}

/// <summary>A key is longer than a tree can hold.</summary>
public sealed class KeyTooLargeException : StorageException
{
    /// <summary>Names both lengths.</summary>
    public KeyTooLargeException(int length, int limit)
        : base($"A key of {length:N0} bytes is over the limit of {limit:N0} bytes.")
    {
        Length = length;
        Limit = limit;
    }

    /// <summary>The key's length in bytes.</summary>
    public int Length { get; }

    /// <summary>The longest key allowed, in bytes.</summary>
    public int Limit { get; }
}

/// <summary>One operation changed more than a transaction may; it was rolled back.</summary>
public sealed class TransactionTooLargeException : StorageException
{
    /// <summary>Names the limit.</summary>
    public TransactionTooLargeException(long bytes, long limit)
        : base(
            $"A transaction with {bytes:N0} bytes of changed pages is over the limit of {limit:N0} bytes (StorageOptions.MaxTransactionBytes). Split the work into several transactions."
        )
    {
        Bytes = bytes;
        Limit = limit;
    }

    /// <summary>The bytes of changed pages.</summary>
    public long Bytes { get; }

    /// <summary>The limit.</summary>
    public long Limit { get; }
}

/// <summary>There is no tree of that name in the snapshot.</summary>
public sealed class TreeNotFoundException : StorageException
{
    /// <summary>Names the tree.</summary>
    public TreeNotFoundException(string tree, long transaction)
        : base($"There is no tree '{tree}' as of transaction {transaction}.") => Tree = tree;

    /// <summary>The name that was asked for.</summary>
    public string Tree { get; }
}

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
