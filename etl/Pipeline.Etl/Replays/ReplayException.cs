namespace Pipeline.Etl.Replays;

/// <summary>A replay cannot begin.</summary>
public sealed class ReplayException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Why, and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public ReplayException(string message, Exception? innerException = null)
        : base(message, innerException) { }
}
