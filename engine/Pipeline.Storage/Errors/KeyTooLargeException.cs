namespace Pipeline.Storage;

/// <summary>A key is longer than a tree can hold.</summary>
public sealed class KeyTooLargeException : StorageException
{
    /// <summary>Names both lengths.</summary>
    public KeyTooLargeException(int length, int limit)
        : base($"A key of {length:N0} bytes is over the limit of {limit:N0} bytes.")
    {
        Length = length;
        Limit = limit;
    }

    /// <summary>The key's length in bytes.</summary>
    public int Length { get; }

    /// <summary>The longest key allowed, in bytes.</summary>
    public int Limit { get; }
}
