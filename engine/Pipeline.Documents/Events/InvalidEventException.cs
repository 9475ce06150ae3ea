namespace Pipeline.Documents.Events;

/// <summary>Something cannot be a stream's id, a tag or an event.</summary>
public sealed class InvalidEventException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">The problem, with the limit.</param>
    public InvalidEventException(string message)
        : base(message) { }
}
