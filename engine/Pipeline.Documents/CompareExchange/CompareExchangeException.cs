namespace Pipeline.Documents;

/// <summary>
/// In a batch, the value under a key did not have the index that was expected; the batch did nothing.
/// </summary>
public sealed class CompareExchangeException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expected">The index that was expected; 0: no value.</param>
    /// <param name="actual">The one that it has; 0: there is no value.</param>
    public CompareExchangeException(string key, long expected, long actual)
        : base(
            $"The compare-exchange value '{key}' was expected to have index {expected}, but it has {actual} (0: the key has no value). Load the value again and repeat the change."
        )
    {
        Key = key;
        Expected = expected;
        Actual = actual;
    }

    /// <summary>The key.</summary>
    public string Key { get; }

    /// <summary>The index that was expected; 0: no value.</summary>
    public long Expected { get; }

    /// <summary>The index that it has; 0: there is no value.</summary>
    public long Actual { get; }
}

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
