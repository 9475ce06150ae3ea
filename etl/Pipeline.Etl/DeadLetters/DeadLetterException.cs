namespace Pipeline.Etl.DeadLetters;

/// <summary>A dead letter does not exist, or does not allow the requested operation.</summary>
public sealed class DeadLetterException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Which letter, and why.</param>
    /// <param name="innerException">The cause.</param>
    public DeadLetterException(string message, Exception? innerException = null)
        : base(message, innerException) { }
}
