using Pipeline.Documents;

namespace Pipeline.Database;

/// <summary>Where a database lies and the limits it keeps. Read once, at opening.</summary>
public sealed record DatabaseOptions : DocumentStorageOptions
{
    /// <summary>
    /// How long a query waits by default until its index shows all earlier writes, so that callers find their latest
    /// writes. After that time the result says that it is stale. Default 15 s; zero does not wait.
    /// </summary>
    public TimeSpan QueryWait { get; init; } = Queries.Catalog.IndexWait.DefaultTimeout;

    /// <summary>Limits and options of indexing.</summary>
    public Indexes.IndexingOptions Indexing { get; init; } = new();
}
