namespace Pipeline.Storage;

/// <summary>Something is to be compressed, or lies compressed, but the system has no libzstd. Nothing was changed.</summary>
public sealed class CompressionUnavailableException : StorageException
{
    /// <summary>Names what is compressed and why it cannot be read or made.</summary>
    public CompressionUnavailableException(string subject, string reason)
        : base($"{subject} needs Zstandard compression, but {reason}. Install the library; nothing was changed.")
    {
        Subject = subject;
        Reason = reason;
    }

    /// <summary>What needs it: a file and place, or an operation.</summary>
    public string Subject { get; }

    /// <summary>Why the library cannot be used.</summary>
    public string Reason { get; }
}
