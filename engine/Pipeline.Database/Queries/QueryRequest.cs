using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries;

/// <summary>A query with all that is said beside its text. Immutable.</summary>
/// <param name="Text">The query, in RQL.</param>
public sealed record QueryRequest(string Text)
{
    /// <summary>The values of its parameters.</summary>
    public QueryParameters Parameters { get; init; } = QueryParameters.None;

    /// <summary>How many results to pass over, where the text does not say.</summary>
    public long Skip { get; init; }

    /// <summary>How many results to give at most; the text may say less.</summary>
    public int Take { get; init; } = int.MaxValue;

    /// <summary>How fresh the index must be; null for the database's default (<see cref="DatabaseOptions.QueryWait"/>).</summary>
    public IndexWait? Wait { get; init; }

    /// <summary>The ETag of an earlier result: where nothing has changed since, the result is <see cref="QueryResult.IsNotModified"/> and has nothing else.</summary>
    public long? IfNoneMatch { get; init; }

    /// <summary>How the search is run, and what it may use.</summary>
    public SearchOptions Search { get; init; } = SearchOptions.Default;

    /// <summary>Whether a document is given as often as an index has entries of it, where whole documents are given.</summary>
    public bool AllowsRepeats { get; init; }

    /// <summary>Where <c>select</c> takes the values of fields from.</summary>
    public ProjectionSource Projection { get; init; }

    /// <summary>Told of the bytes that each result, and each document included with it, holds in memory; what it throws ends the query. Null: nobody counts. A stream holds none.</summary>
    public Action<long>? OnHeld { get; init; }

    /// <summary>The seed of <c>random()</c> where the text gives none.</summary>
    public long RandomSeed { get; init; }
}
