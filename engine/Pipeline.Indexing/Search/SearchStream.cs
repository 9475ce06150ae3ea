namespace Pipeline.Indexing;

/// <summary>
/// All hits of a query, one after the other, in memory that does not grow with their number. In the order of entry
/// numbers, hits come as they are found. In any other order the query runs once for each window of
/// <see cref="SearchOptions.MaxSortWindow"/> hits. The reader must stay open; one thread at a time.
/// </summary>
public sealed class SearchStream : IDisposable
{
    private readonly QueryExecution _execution;
    private readonly Func<Hit[]> _more;
    private Hit[] _hits = [];
    private int _at = -1;

    internal SearchStream(QueryExecution execution, Func<Hit[]> more) => (_execution, _more) = (execution, more);

    /// <summary>The hit that the stream is on.</summary>
    public Hit Current => _hits[_at];

    /// <summary>Goes to the next hit.</summary>
    /// <returns>False at the end.</returns>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public bool MoveNext()
    {
        if (++_at < _hits.Length)
            return true;
        _execution.Token.ThrowIfCancellationRequested();
        (_hits, _at) = (_more(), 0);
        return _hits.Length > 0;
    }

    /// <summary>Gives back what the query holds.</summary>
    public void Dispose() => _execution.Dispose();
}
