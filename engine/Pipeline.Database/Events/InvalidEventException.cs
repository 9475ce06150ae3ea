namespace Pipeline.Database.Events;

/// <summary>Something cannot be a stream's id, a tag or an event.</summary>
public sealed class InvalidEventException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong, with the limit.</param>
    public InvalidEventException(string message)
        : base(message)
    {
    }
}
