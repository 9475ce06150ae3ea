namespace Pipeline.Database.Queries.Catalog;

/// <summary>How fresh an index must be before a query reads it.</summary>
/// <param name="Timeout">How long to wait at most; then the query goes on with what there is, and its result says that it is stale.</param>
/// <param name="Position">The position that the index must show, as of the user's last write; null for all changes there are when the wait begins.</param>
public sealed record IndexWait(TimeSpan Timeout, long? Position = null);
