namespace Pipeline.Indexing;

public sealed partial class Searcher
{
    /// <summary>Gives all hits of a query, however many, in constant memory.</summary>
    /// <param name="query">What to look for.</param>
    /// <param name="order">The sort criteria, the most important first; empty for the order of entry numbers.</param>
    /// <param name="options">How to run it; null for <see cref="SearchOptions.Default"/>.</param>
    /// <param name="token">Stops it, also between hits.</param>
    /// <returns>The hits; to be disposed.</returns>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    /// <exception cref="QueryLimitException">It would need more than <paramref name="options"/> allow.</exception>
    public SearchStream Stream(
        Query query,
        IReadOnlyList<SearchOrder> order,
        SearchOptions? options = null,
        CancellationToken token = default
    )
    {
        var execution = new QueryExecution(reader, options ?? SearchOptions.Default, token);
        try
        {
            var scored = HasScore(order);
            var step = new QueryPlanner(execution, lazy: order.Count == 0).Plan(query, scored);
            return new SearchStream(
                execution,
                order.Count == 0 ? InOrderOfNumbers(execution, step) : InOrderOf(execution, step, order, scored)
            );
        }
        catch
        {
            execution.Dispose();
            throw;
        }
    }

    private static Func<Hit[]> InOrderOfNumbers(QueryExecution execution, QueryStep step)
    {
        var entries = step.Open();
        var buffer = new int[Batch];
        return () =>
        {
            for (int count; (count = entries.Fill(buffer)) > 0; )
            {
                execution.Token.ThrowIfCancellationRequested();
                count = execution.RemoveDeleted(buffer.AsSpan(0, count));
                if (count == 0)
                    continue;
                var hits = new Hit[count];
                for (var i = 0; i < count; i++)
                    hits[i] = new Hit(buffer[i], 0);
                return hits;
            }

            return [];
        };
    }

    private Func<Hit[]> InOrderOf(
        QueryExecution execution,
        QueryStep step,
        IReadOnlyList<SearchOrder> order,
        bool scored
    )
    {
        var top = NewTop(execution, order, execution.Options.MaxSortWindow);
        return () =>
        {
            FillSorted(execution, step, top, scored);
            return top.Take();
        };
    }
}
