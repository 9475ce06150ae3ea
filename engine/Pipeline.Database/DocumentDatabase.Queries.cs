using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Database;

public sealed partial class DocumentDatabase
{
    /// <summary>
    /// Runs a query on the index that it names, or on an automatic one, which is created or widened if necessary.
    /// </summary>
    /// <param name="rql">The query, in RavenDB's query language; docs in engine/QUERIES.md.</param>
    /// <param name="ct">Ends it.</param>
    /// <inheritdoc cref="QueryRunner.RunAsync"/>
    public ValueTask<QueryResult> QueryAsync(string rql, CancellationToken ct = default) =>
        QueryAsync(new QueryRequest(rql), ct);

    /// <inheritdoc cref="QueryAsync(string, CancellationToken)"/>
    /// <param name="rql">The query.</param>
    /// <param name="waitFor">
    /// The position that the results must show, as of a write; waited for at most
    /// <see cref="IndexWait.DefaultTimeout"/>.
    /// </param>
    /// <param name="ct">Ends it.</param>
    public ValueTask<QueryResult> QueryAsync(string rql, long waitFor, CancellationToken ct = default) =>
        QueryAsync(new QueryRequest(rql) { Wait = IndexWait.For(waitFor) }, ct);

    /// <inheritdoc cref="QueryAsync(string, CancellationToken)"/>
    /// <param name="request">The query with its parameters, page, wait and limits.</param>
    /// <param name="ct">Ends it.</param>
    public ValueTask<QueryResult> QueryAsync(QueryRequest request, CancellationToken ct = default)
    {
        CheckOpen();
        return _queries.RunAsync(request, ct);
    }

    /// <summary>
    /// Gives the results of a query one after the other, however many, in memory that does not grow with them.
    /// </summary>
    /// <param name="request">The query.</param>
    /// <param name="ct">Ends it, also between results.</param>
    /// <inheritdoc cref="QueryRunner.StreamAsync"/>
    public IAsyncEnumerable<QueryItem> StreamQueryAsync(QueryRequest request, CancellationToken ct = default)
    {
        CheckOpen();
        return _queries.StreamAsync(request, ct);
    }
}
