namespace Pipeline.Storage;

/// <summary>A value that lies compressed, or its dictionary, is damaged or missing.</summary>
public sealed class CompressedValueCorruptException : StorageException
{
    internal CompressedValueCorruptException(string what, string reason, Exception? cause = null)
        : base($"{what} is damaged: {reason}.", cause) => Reason = reason;

    /// <summary>The damage.</summary>
    public string Reason { get; }
}

/// <summary>Compression or decompression is needed, but the system has no libzstd. Nothing was changed.</summary>
public sealed class CompressionUnavailableException : StorageException
{
    /// <summary>Names the compressed data and the reason why it cannot be read or written.</summary>
    public CompressionUnavailableException(string subject, string reason)
        : base($"{subject} needs Zstandard compression, but {reason}. Install the library; nothing was changed.")
    {
        Subject = subject;
        Reason = reason;
    }

    /// <summary>The data or operation that needs it: a file and place, or an operation.</summary>
    public string Subject { get; }

    /// <summary>Why the library cannot be used.</summary>
    public string Reason { get; }
}
