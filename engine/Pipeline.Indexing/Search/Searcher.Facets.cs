namespace Pipeline.Indexing;

public sealed partial class Searcher
{
    /// <summary>
    /// Counts values and ranges among the entries of a query. Nothing is taken from totals made beforehand; each entry
    /// is counted in columns.
    /// </summary>
    /// <param name="query">The query.</param>
    /// <param name="requests">What to count, all in one pass.</param>
    /// <param name="options">How to run it; null for <see cref="SearchOptions.Default"/>.</param>
    /// <param name="token">Stops it.</param>
    /// <returns>The counts, in the order of the requests.</returns>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    /// <exception cref="QueryLimitException">It would need more than <paramref name="options"/> allow.</exception>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public IReadOnlyList<FacetCounts> CountFacets(
        Query query,
        IReadOnlyList<FacetRequest> requests,
        SearchOptions? options = null,
        CancellationToken token = default
    )
    {
        using var execution = new QueryExecution(reader, options ?? SearchOptions.Default, token);
        var step = new QueryPlanner(execution, lazy: false).Plan(query, scored: false);
        FacetCounter[] counters =
        [
            .. requests.Select(r =>
                r switch
                {
                    ValueFacet value => (FacetCounter)new ValueFacetCounter(execution, value, _names ??= new(reader)),
                    RangeFacet range => new RangeFacetCounter(execution, range),
                    _ => throw new QueryException($"A facet of type {r.GetType().Name} is not known."),
                }
            ),
        ];
        if (step is AllStep)
            CountAll(execution, counters);
        else
            CountFound(execution, step, counters);
        return [.. counters.Select(c => c.Result())];
    }

    private void CountFound(QueryExecution execution, QueryStep step, FacetCounter[] counters)
    {
        var entries = step.OpenUnordered();
        for (int count; (count = entries.Fill(_entries)) > 0; )
        {
            execution.Token.ThrowIfCancellationRequested();
            count = execution.RemoveDeleted(_entries.AsSpan(0, count));
            foreach (var counter in counters)
                counter.Add(_entries.AsSpan(0, count));
        }
    }

    // By chunks of columns where nothing is deleted.
    private void CountAll(QueryExecution execution, FacetCounter[] counters)
    {
        for (var (chunk, from) = (0, 0); from < execution.Entries; chunk++, from += ColumnChunk.Capacity)
        {
            execution.Token.ThrowIfCancellationRequested();
            var to = Math.Min(from + ColumnChunk.Capacity, execution.Entries);
            var isWhole = execution.Reader.LiveCount == execution.Entries;
            foreach (var counter in counters)
            {
                if (isWhole && counter.TryAddChunk(chunk))
                    continue;
                for (var entry = from; entry < to; )
                {
                    var count = 0;
                    for (; count < _entries.Length && entry < to; entry++)
                    {
                        if (isWhole || execution.Reader.IsLive(entry))
                            _entries[count++] = entry;
                    }

                    counter.Add(_entries.AsSpan(0, count));
                }
            }
        }
    }
}
