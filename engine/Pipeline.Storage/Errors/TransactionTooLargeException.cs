namespace Pipeline.Storage;

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
