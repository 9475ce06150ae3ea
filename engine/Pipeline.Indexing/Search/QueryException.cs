namespace Pipeline.Indexing;

/// <summary>A query cannot be run as it is: the message names what is wrong and how to mend it.</summary>
public class QueryException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong, and what would be right.</param>
    /// <param name="inner">The cause, if another error is.</param>
    public QueryException(string message, Exception? inner = null) : base(message, inner)
    {
    }
}
