namespace Pipeline.Subscriptions;

/// <summary>The stored position of a cursor cannot be read.</summary>
public sealed class CursorStateException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="cursor">The cursor's name.</param>
    /// <param name="reason">What is wrong with its state.</param>
    /// <param name="innerException">The underlying error.</param>
    public CursorStateException(string cursor, string reason, Exception? innerException = null)
        : base(
            $"The position of '{cursor}' cannot be read: {reason}. A newer program may have written it.",
            innerException
        )
    {
        Cursor = cursor;
    }

    /// <summary>The cursor's name.</summary>
    public string Cursor { get; }
}
