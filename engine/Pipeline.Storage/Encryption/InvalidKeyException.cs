namespace Pipeline.Storage;

/// <summary>No key could be had from its source, or what it gives is not a key.</summary>
public sealed class InvalidKeyException : StorageException
{
    /// <summary>Names the source and what is wrong; never what was read.</summary>
    public InvalidKeyException(string source, string reason, Exception? cause = null)
        : base($"The encryption key from {source}: {reason}. A key has 32 bytes, raw or as text in base64 (44 characters) or hexadecimal (64).", cause)
    {
        KeySource = source;
        Reason = reason;
    }

    /// <summary>Where the key was to come from.</summary>
    public string KeySource { get; }

    /// <summary>What is wrong.</summary>
    public string Reason { get; }
}
