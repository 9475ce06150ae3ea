namespace Pipeline.Documents;

/// <summary>The key of a compare-exchange value is too long.</summary>
public sealed class CompareExchangeKeyException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="key">The key.</param>
    /// <param name="mostBytes">How many bytes it may have.</param>
    public CompareExchangeKeyException(string key, int mostBytes)
        : base($"The compare-exchange key '{DocumentKeys.Printable(key)}' has more than {mostBytes} bytes of UTF-8.") =>
        Key = key;

    /// <summary>The key.</summary>
    public string Key { get; }
}
