namespace Pipeline.Client.Queries;

/// <summary>The operations behind the extension methods of a query.</summary>
internal interface IDocumentQuery<T> : IAsyncEnumerable<T>
{
    string ToQueryString();

    ValueTask<QueryResults<T>> ToResultsAsync(int? take, CancellationToken cancellationToken);

    ValueTask<long> CountAsync(CancellationToken cancellationToken);

    string ToFacetString(IReadOnlyList<FacetClause> facets);

    ValueTask<FacetResults> ToFacetsAsync(IReadOnlyList<FacetClause> facets, CancellationToken cancellationToken);
}
