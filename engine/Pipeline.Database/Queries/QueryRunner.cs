using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Database.Queries.Results;
using Pipeline.Documents;

namespace Pipeline.Database.Queries;

/// <summary>
/// Runs queries. Thread-safe; each query reads one commit of its index and one snapshot of the database, opened after
/// it.
/// </summary>
/// <param name="database">The documents.</param>
/// <param name="catalog">The indexes.</param>
/// <param name="wait">How fresh an index must be for a query that does not say; null does not wait.</param>
public sealed class QueryRunner(DocumentStorage database, IIndexCatalog catalog, IndexWait? wait = null)
{
    /// <summary>Runs a query.</summary>
    /// <param name="request">The query.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Its results, all in memory; see <see cref="StreamAsync"/> for many.</returns>
    /// <exception cref="InvalidQueryException">The query has an error, or needs an unsupported feature.</exception>
    /// <exception cref="IndexNotFoundException">The query names an index that does not exist.</exception>
    /// <exception cref="Indexing.QueryException">
    /// The index refuses it: over a limit, or an expression that it cannot run.
    /// </exception>
    public async ValueTask<QueryResult> RunAsync(QueryRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        (var query, var demand) = await ReadAsync(request, cancellationToken).ConfigureAwait(false);
        if (demand.NeedsNoIndex)
        {
            var reached = await WaitAsync(request.Wait, cancellationToken).ConfigureAwait(false);
            using var alone = await TakeTurnAsync(request, cancellationToken).ConfigureAwait(false);
            using var only = database.OpenSnapshot();
            var result = new CollectionQuery(query, request, only, cancellationToken).Run(cancellationToken);
            return reached is null ? result : result with { WaitSucceeded = reached };
        }

        if (await FindsNothingAsync(demand, request, cancellationToken).ConfigureAwait(false) is { } nothing)
            return nothing;
        using var index = await catalog
            .OpenAsync(demand, request.Wait ?? wait, cancellationToken)
            .ConfigureAwait(false);
        using var turn = await TakeTurnAsync(request, cancellationToken).ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot();
        return new IndexQuery(query, request, index, snapshot, cancellationToken).Run(cancellationToken);
    }

    /// <summary>
    /// Gives the results of a query one after the other, however many, in memory that does not grow with them.
    /// </summary>
    /// <param name="request">The query. Only its results are computed, no facets, timings or explanations.</param>
    /// <param name="cancellationToken">Ends it, also between results.</param>
    /// <returns>The results.</returns>
    /// <exception cref="InvalidQueryException">The query has an error, or needs an unsupported feature.</exception>
    /// <exception cref="IndexNotFoundException">The query names an index that does not exist.</exception>
    /// <exception cref="StaleIndexException">The index does not show in time what the query waits for.</exception>
    /// <exception cref="Indexing.QueryException">The index refuses it.</exception>
    public async IAsyncEnumerable<QueryItem> StreamAsync(
        QueryRequest request,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(request);
        (var query, var demand) = await ReadAsync(request, cancellationToken).ConfigureAwait(false);
        if (demand.NeedsNoIndex && await WaitAsync(request.Wait, cancellationToken).ConfigureAwait(false) == false)
        {
            throw new TimeoutException(
                $"The database '{database.Name}' is at position {database.LastPosition}, before the one that was expected."
            );
        }

        if (
            !demand.NeedsNoIndex
            && await FindsNothingAsync(demand, request, cancellationToken).ConfigureAwait(false) is not null
        )
        {
            yield break;
        }

        using var index = demand.NeedsNoIndex
            ? null
            : await catalog.OpenAsync(demand, request.Wait ?? wait, cancellationToken).ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot();
        if (index is { WaitSucceeded: false })
            throw new StaleIndexException(index.Name, index.LagAt(snapshot), (request.Wait ?? wait)!.Timeout);
        var items = index is null
            ? new CollectionQuery(query, request, snapshot, cancellationToken).Stream(cancellationToken)
            : new IndexQuery(query, request, index, snapshot, cancellationToken).Stream(cancellationToken);
        using var next = items.GetEnumerator();
        while (await MovesAsync(next, request, cancellationToken).ConfigureAwait(false))
            yield return next.Current;
    }

    private static async ValueTask<bool> MovesAsync(
        IEnumerator<QueryItem> items,
        QueryRequest request,
        CancellationToken cancellationToken
    )
    {
        using var turn = await TakeTurnAsync(request, cancellationToken).ConfigureAwait(false);
        return items.MoveNext();
    }

    private static async ValueTask<IDisposable?> TakeTurnAsync(
        QueryRequest request,
        CancellationToken cancellationToken
    ) => request.Turn is { } turn ? await turn(cancellationToken).ConfigureAwait(false) : null;

    /// <summary>
    /// Returns an empty result for a collection that has never had a document. No index is made for it: a name costs
    /// its sender nothing, and an index costs a store. Returns null if the collection is known or the query names its
    /// index.
    /// </summary>
    private async ValueTask<QueryResult?> FindsNothingAsync(
        IndexDemand demand,
        QueryRequest request,
        CancellationToken cancellationToken
    )
    {
        if (demand.IndexName is not null || demand.Collection is not { } collection || IsKnown(collection))
            return null;
        var reached = await WaitAsync(request.Wait, cancellationToken).ConfigureAwait(false);
        if (IsKnown(collection))
            return null;
        using var snapshot = database.OpenSnapshot();
        var etag = ResultETag.Of(0, 0, 0, snapshot.LastPosition, 0);
        return new QueryResult
        {
            IndexName = AutoIndexDefinition.Of(demand).Name,
            ETag = etag,
            IsNotModified = request.IfNoneMatch == etag,
            WaitSucceeded = reached,
        };
    }

    private bool IsKnown(string collection)
    {
        using var snapshot = database.OpenSnapshot();
        return snapshot.HasCollection(collection);
    }

    /// <summary>
    /// Waits for a position that the documents have not reached. Returns whether they have; null if there was nothing
    /// to wait for.
    /// </summary>
    private async ValueTask<bool?> WaitAsync(IndexWait? asked, CancellationToken cancellationToken)
    {
        if (asked?.Position is not { } position)
            return null;
        if (position <= database.LastPosition)
            return true;
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var reached = database.WaitForChangeAsync(position - 1, waiting.Token);
        await Task.WhenAny(reached, Task.Delay(asked.Timeout, database.TimeProvider, waiting.Token))
            .ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        var isThere = reached.IsCompleted;
        if (isThere)
            await reached.ConfigureAwait(false);
        await waiting.CancelAsync().ConfigureAwait(false);
        return isThere;
    }

    private static async ValueTask<(QuerySyntax Query, IndexDemand Demand)> ReadAsync(
        QueryRequest request,
        CancellationToken cancellationToken
    )
    {
        using var turn = await TakeTurnAsync(request, cancellationToken).ConfigureAwait(false);
        var query = QueryParser.ParseScripted(request.Text);
        QueryCheck.Check(query);
        return (query, IndexDemandReader.Read(query));
    }
}
