using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Database.Queries.Demands;

/// <summary>Finds the index that answers a query. Thread-safe.</summary>
public interface IIndexCatalog
{
    /// <summary>
    /// Opens the index that a query names, or an automatic one that meets the demand. Creates or widens the automatic
    /// index if there is none.
    /// </summary>
    /// <param name="demand">The demands of the query.</param>
    /// <param name="wait">
    /// How fresh the index must be; null for no wait. A new automatic index is awaited in any case.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The open index, which the caller disposes.</returns>
    /// <exception cref="IndexNotFoundException">There is no index of this name.</exception>
    ValueTask<IOpenIndex> OpenAsync(IndexDemand demand, IndexWait? wait, CancellationToken cancellationToken);
}
