using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries;

/// <summary>The result of a query. Everything in it comes from one snapshot.</summary>
public sealed record QueryResult
{
    /// <summary>The results, in their order.</summary>
    public IReadOnlyList<QueryItem> Items { get; init; } = [];

    /// <summary>
    /// The documents of <c>include</c>, by the id that named them; a value is null if there is no such document.
    /// </summary>
    public IReadOnlyDictionary<string, Document?> Includes { get; init; } = new Dictionary<string, Document?>();

    /// <summary>The number of results on all pages.</summary>
    public long Total { get; init; }

    /// <summary>
    /// Whether <see cref="Total"/> is exact: not where counting stopped, and not behind <c>filter</c> before its end.
    /// </summary>
    public bool IsTotalExact { get; init; } = true;

    /// <summary>
    /// How many were left out of this page since they were there already (<c>distinct</c>, documents with several
    /// entries).
    /// </summary>
    public long Skipped { get; init; }

    /// <summary>How many documents <c>filter</c> has examined; null without one.</summary>
    public long? Scanned { get; init; }

    /// <summary>
    /// The index: its name, or <c>collection/Orders</c>, <c>AllDocs</c> where the documents themselves were read.
    /// </summary>
    public required string IndexName { get; init; }

    /// <summary>
    /// How far the index is behind the snapshot, which may be newer than the position that the query waited for.
    /// </summary>
    public IndexLag Lag { get; init; }

    /// <summary>
    /// Whether the index shows the changes that the query waited for (<see cref="QueryRequest.Wait"/>); null if the
    /// query did not wait.
    /// </summary>
    public bool? WaitSucceeded { get; init; }

    /// <summary>
    /// Whether writes from before the query may be missing: the wait was over too soon, or there was none and the index
    /// is behind.
    /// </summary>
    public bool IsStale => WaitSucceeded is { } succeeded ? !succeeded : Lag.IsStale;

    /// <summary>A number that is another one as soon as the result may be.</summary>
    public required long ETag { get; init; }

    /// <summary>Whether <see cref="QueryRequest.IfNoneMatch"/> is still right; nothing was run then.</summary>
    public bool IsNotModified { get; init; }

    /// <summary>How long the query took, the wait for its index aside.</summary>
    public TimeSpan Duration { get; init; }

    /// <summary>
    /// How the query was run; null if there was nothing to plan. Steps have times if the query has <c>include
    /// timings()</c>.
    /// </summary>
    public PlanNode? Plan { get; init; }

    /// <summary>Whether the query asks for <see cref="Plan"/>.</summary>
    public bool HasTimings { get; init; }

    /// <summary>Why results have their scores, by id, where the query says <c>include explanations()</c>.</summary>
    public IReadOnlyDictionary<string, Explanation> Explanations { get; init; } = new Dictionary<string, Explanation>();

    /// <summary>Fragments of texts with the matches marked, by field, then by id.</summary>
    public IReadOnlyDictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>> Highlights { get; init; } =
        new Dictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>>();

    /// <summary>The paths of <c>include</c>.</summary>
    public IReadOnlyList<string> IncludedPaths { get; init; } = [];

    /// <summary>
    /// The values of <c>include cmpxchg()</c> by their keys; null for a key without a value. Such a query is never
    /// <see cref="IsNotModified"/>.
    /// </summary>
    public IReadOnlyDictionary<string, CompareExchangeValue?> CompareExchangeIncludes { get; init; } =
        new Dictionary<string, CompareExchangeValue?>();

    /// <summary>The versions of <c>include revisions()</c>.</summary>
    public IReadOnlyList<IncludedRevision> RevisionIncludes { get; init; } = [];
}
