namespace Pipeline.Storage;

/// <summary>Page versions that open readers still need fill the memory they may take: the write was refused. It works again when those readers end.</summary>
public sealed class ScratchFullException : StorageException
{
    /// <summary>Names the limit and the oldest reader.</summary>
    public ScratchFullException(long bytes, long limit, long? reader, TimeSpan? age)
        : base($"Page versions in memory take {bytes:N0} bytes, over the limit of {limit:N0} (StorageOptions.MaxScratchBytes)"
            + (reader is null ? "." : $"; the oldest reader, of transaction {reader}, has been open for {age} and holds them. Dispose read transactions sooner."))
    {
        Bytes = bytes;
        Limit = limit;
        ReaderTransaction = reader;
    }

    /// <summary>Bytes in use.</summary>
    public long Bytes { get; }

    /// <summary>The limit.</summary>
    public long Limit { get; }

    /// <summary>The snapshot of the oldest reader, if there is one.</summary>
    public long? ReaderTransaction { get; }
}
