namespace Pipeline.Indexing;

/// <summary>A query cannot be run. The message names the problem and the fix.</summary>
public class QueryException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">The problem, and how to fix it.</param>
    /// <param name="inner">The cause, if another error is.</param>
    public QueryException(string message, Exception? inner = null)
        : base(message, inner) { }
}
