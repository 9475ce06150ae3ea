namespace Pipeline.Storage;

/// <summary>Somebody for whom the journal is kept.</summary>
/// <param name="Name">Who.</param>
/// <param name="Position">From where on.</param>
public sealed record LogHold(string Name, LogPosition Position);

/// <summary>Takes one transaction of the journal, in order.</summary>
/// <param name="state">The store as of it.</param>
/// <param name="recordCount">How many records there are.</param>
/// <param name="records">
/// Its page changes in the form of engine/FORMAT.md, decrypted and decompressed. Valid during the call.
/// </param>
public delegate void LogEntryHandler(LogState state, int recordCount, ReadOnlySpan<byte> records);

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
