using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Database.Queries.Results;

namespace Pipeline.Database.Queries;

/// <summary>Runs queries. Thread-safe; each query reads one commit of its index and one snapshot of the database, opened after it.</summary>
/// <param name="database">The documents.</param>
/// <param name="catalog">The indexes.</param>
/// <param name="wait">How fresh an index must be for a query that does not say; null: as it is.</param>
public sealed class QueryRunner(DocumentDatabase database, IIndexCatalog catalog, IndexWait? wait = null)
{
    /// <summary>Runs a query.</summary>
    /// <param name="request">The query.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Its results, all in memory; see <see cref="StreamAsync"/> for many.</returns>
    /// <exception cref="InvalidQueryException">The query is wrong, or asks for what is not supported.</exception>
    /// <exception cref="IndexNotFoundException">It names an index that is not there.</exception>
    /// <exception cref="Indexing.QueryException">The index refuses it: over a limit, or an expression that it cannot run.</exception>
    public async ValueTask<QueryResult> RunAsync(QueryRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        (QuerySyntax query, IndexDemand demand) = Read(request);
        if (demand.NeedsNoIndex)
        {
            using DatabaseSnapshot only = database.OpenSnapshot();
            return new CollectionQuery(query, request, only, cancellationToken).Run(cancellationToken);
        }

        using IOpenIndex index = await catalog.OpenAsync(demand, request.Wait ?? wait, cancellationToken).ConfigureAwait(false);
        using DatabaseSnapshot snapshot = database.OpenSnapshot();
        return new IndexQuery(query, request, index, snapshot, cancellationToken).Run(cancellationToken);
    }

    /// <summary>Gives the results of a query one after the other, however many, in memory that does not grow with them.</summary>
    /// <param name="request">The query. What it asks for beside its results is not computed.</param>
    /// <param name="cancellationToken">Ends it, also between results.</param>
    /// <returns>The results.</returns>
    /// <exception cref="InvalidQueryException">The query is wrong, or asks for what is not supported.</exception>
    /// <exception cref="IndexNotFoundException">It names an index that is not there.</exception>
    /// <exception cref="Indexing.QueryException">The index refuses it.</exception>
    public async IAsyncEnumerable<QueryItem> StreamAsync(
        QueryRequest request, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        (QuerySyntax query, IndexDemand demand) = Read(request);
        using IOpenIndex? index = demand.NeedsNoIndex ? null : await catalog.OpenAsync(demand, request.Wait ?? wait, cancellationToken).ConfigureAwait(false);
        using DatabaseSnapshot snapshot = database.OpenSnapshot();
        IEnumerable<QueryItem> items = index is null
            ? new CollectionQuery(query, request, snapshot, cancellationToken).Stream(cancellationToken)
            : new IndexQuery(query, request, index, snapshot, cancellationToken).Stream(cancellationToken);
        foreach (QueryItem item in items) yield return item;
    }

    private static (QuerySyntax Query, IndexDemand Demand) Read(QueryRequest request)
    {
        QuerySyntax query = QueryParser.ParseScripted(request.Text);
        QueryCheck.Check(query);
        return (query, IndexDemandReader.Read(query));
    }
}
