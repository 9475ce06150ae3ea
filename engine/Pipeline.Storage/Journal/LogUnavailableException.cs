namespace Pipeline.Storage;

/// <summary>The journal does not have, or no longer has, all requested entries.</summary>
public sealed class LogUnavailableException : StorageException
{
    /// <summary>Names place and reason.</summary>
    public LogUnavailableException(string path, long transaction, string reason)
        : base($"{path}: the journal cannot be read from transaction {transaction} on: {reason}. Make a full backup.")
    {
        Path = path;
        Transaction = transaction;
    }

    /// <summary>The folder or file.</summary>
    public string Path { get; }

    /// <summary>The first transaction that is missing.</summary>
    public long Transaction { get; }
}
