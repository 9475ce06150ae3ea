namespace Pipeline.Etl.DeadLetters;

/// <summary>A dead letter is not there, or what is asked cannot be done with it.</summary>
public sealed class DeadLetterException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Which letter, and why.</param>
    /// <param name="innerException">What was behind it.</param>
    public DeadLetterException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
