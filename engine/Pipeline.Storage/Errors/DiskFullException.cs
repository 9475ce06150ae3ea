namespace Pipeline.Storage;

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
