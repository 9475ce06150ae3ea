namespace Pipeline.Database.Queries.Catalog;

/// <summary>How far an index is behind a snapshot.</summary>
/// <param name="Changes">Changes in what it reads that it does not show yet; 0 where it is not behind. May be counted up to a bound only.</param>
/// <param name="LastIndexed">When it last took in changes; null where it never has.</param>
public readonly record struct IndexLag(long Changes, DateTimeOffset? LastIndexed)
{
    /// <summary>Whether it is behind.</summary>
    public bool IsStale => Changes > 0;
}
