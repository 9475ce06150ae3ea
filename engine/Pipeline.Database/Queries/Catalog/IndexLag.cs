namespace Pipeline.Database.Queries.Catalog;

/// <summary>How far an index is behind a snapshot.</summary>
/// <param name="Changes">
/// The number of changes in its collections that it does not show yet; 0 if it is up to date. The count may stop at a
/// bound.
/// </param>
/// <param name="LastIndexed">When it last indexed changes; null if it never has.</param>
public readonly record struct IndexLag(long Changes, DateTimeOffset? LastIndexed)
{
    /// <summary>Whether it is behind.</summary>
    public bool IsStale => Changes > 0;
}
