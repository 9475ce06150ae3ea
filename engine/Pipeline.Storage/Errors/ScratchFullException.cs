namespace Pipeline.Storage;

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
