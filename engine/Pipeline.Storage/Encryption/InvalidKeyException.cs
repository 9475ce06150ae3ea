namespace Pipeline.Storage;

/// <summary>The source of a key gave none, or gave something that is not a key.</summary>
public sealed class InvalidKeyException : StorageException
{
    /// <summary>Names the source and the problem; never the data that was read.</summary>
    public InvalidKeyException(string source, string reason, Exception? cause = null)
        : base(
            $"The encryption key from {source}: {reason}. A key has 32 bytes, raw or as text in base64 (44 characters) or hexadecimal (64).",
            cause
        )
    {
        KeySource = source;
        Reason = reason;
    }

    /// <summary>Where the key was to come from.</summary>
    public string KeySource { get; }

    /// <summary>The problem.</summary>
    public string Reason { get; }
}
