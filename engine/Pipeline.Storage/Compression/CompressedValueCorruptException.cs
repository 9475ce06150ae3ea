namespace Pipeline.Storage;

/// <summary>A value that lies compressed, or its dictionary, is damaged or missing.</summary>
public sealed class CompressedValueCorruptException : StorageException
{
    internal CompressedValueCorruptException(string what, string reason, Exception? cause = null)
        : base($"{what} is damaged: {reason}.", cause) => Reason = reason;

    /// <summary>The damage.</summary>
    public string Reason { get; }
}
