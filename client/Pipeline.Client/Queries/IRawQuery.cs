namespace Pipeline.Client;

/// <summary>A query in RQL.</summary>
public interface IRawQuery<T>
    where T : class
{
    /// <summary>
    /// The same query, which waits until the index has all changes that the database had when it arrived.
    /// </summary>
    /// <param name="timeout">
    /// The longest wait, above zero; 15 s if it is not given. After it the query answers with
    /// <see cref="QueryStatistics.IsStale"/>.
    /// </param>
    IRawQuery<T> WaitForNonStaleResults(TimeSpan? timeout = null);

    /// <summary>All results.</summary>
    ValueTask<QueryResults<T>> ToResultsAsync(CancellationToken cancellationToken = default);

    /// <summary>The results one by one, in constant memory. The session does not track them.</summary>
    IAsyncEnumerable<T> StreamAsync(CancellationToken cancellationToken = default);
}
