namespace Pipeline.Etl.Resuming;

/// <summary>A task cannot be resumed as asked.</summary>
public sealed class ResumeException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Why, and what to do.</param>
    public ResumeException(string message)
        : base(message) { }
}
