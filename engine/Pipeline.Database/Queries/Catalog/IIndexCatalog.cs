using Pipeline.Database.Queries.Demands;

namespace Pipeline.Database.Queries.Catalog;

/// <summary>Finds the index that answers a query. Thread-safe.</summary>
public interface IIndexCatalog
{
    /// <summary>Opens the index that a query names, or the automatic one that has what it needs, which is made or widened where there is none.</summary>
    /// <param name="demand">What the query needs.</param>
    /// <param name="wait">How fresh it must be; null for no wait. A new automatic index is waited for either way.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The open index, which the caller disposes.</returns>
    /// <exception cref="IndexNotFoundException">There is no index of the name.</exception>
    ValueTask<IOpenIndex> OpenAsync(IndexDemand demand, IndexWait? wait, CancellationToken cancellationToken);
}
