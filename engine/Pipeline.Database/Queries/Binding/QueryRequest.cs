using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries;

/// <summary>A query's text with its parameters and options. Immutable.</summary>
/// <param name="Text">The query, in RQL.</param>
public sealed record QueryRequest(string Text)
{
    /// <summary>The values of its parameters.</summary>
    public QueryParameters Parameters { get; init; } = QueryParameters.None;

    /// <summary>How many results to pass over, where the text does not say.</summary>
    public long Skip { get; init; }

    /// <summary>How many results to give at most; the text may say less.</summary>
    public int Take { get; init; } = int.MaxValue;

    /// <summary>
    /// How fresh the index must be; null for the database's default (<see cref="DatabaseOptions.QueryWait"/>).
    /// </summary>
    public IndexWait? Wait { get; init; }

    /// <summary>
    /// The ETag of an earlier result. If nothing has changed since, the new result is
    /// <see cref="QueryResult.IsNotModified"/> and empty.
    /// </summary>
    public long? IfNoneMatch { get; init; }

    /// <summary>Options and limits of the search.</summary>
    public SearchOptions Search { get; init; } = SearchOptions.Default;

    /// <summary>Whether a query for whole documents may return a document once for each of its index entries.</summary>
    public bool AllowsRepeats { get; init; }

    /// <summary>Where <c>select</c> takes the values of fields from.</summary>
    public ProjectionSource Projection { get; init; }

    /// <summary>
    /// Called with the bytes of memory that each result, and each document included with it, holds. An exception that
    /// it throws ends the query. Null: no count. A stream holds none.
    /// </summary>
    public Action<long>? OnHeld { get; init; }

    /// <summary>
    /// Called before the query uses its thread: to read its text, and to run once its index is ready. The query
    /// continues when the task completes, and disposes of the result when that part is done. A stream runs in parts,
    /// one for each result. Null: it never waits.
    /// </summary>
    public Func<CancellationToken, ValueTask<IDisposable>>? Turn { get; init; }

    /// <summary>The seed of <c>random()</c> if the text gives none.</summary>
    public long RandomSeed { get; init; }
}
