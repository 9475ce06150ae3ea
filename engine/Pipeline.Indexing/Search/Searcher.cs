using System.Diagnostics;
using System.Globalization;

namespace Pipeline.Indexing;

/// <summary>
/// Runs queries over one snapshot of an index. What is found are entries that are not deleted; every total is exact
/// unless <see cref="SearchOptions.CountUpTo"/>
/// allows it to stop. As its reader, for one thread at a time.
/// </summary>
/// <param name="reader">The snapshot; it must stay open.</param>
public sealed partial class Searcher(IndexReader reader)
{
    private const int Batch = 512;

    private readonly TopScores _top = new();
    private readonly int[] _entries = new int[Batch];
    private readonly float[] _scores = new float[Batch];
    private readonly long[] _keys = new long[Batch];
    private TermNames? _names;
    private BestOfDisjunction? _best;
    private BestOfConjunction? _both;

    /// <summary>Finds entries.</summary>
    /// <param name="query">What to look for.</param>
    /// <param name="order">
    /// The sort criteria, the most important first; empty for the order of entry numbers.
    /// <see cref="SearchOrder.Score"/> alone is fastest.
    /// </param>
    /// <param name="skip">How many of the first to leave out.</param>
    /// <param name="take">How many to give.</param>
    /// <param name="options">How to run it; null for <see cref="SearchOptions.Default"/>.</param>
    /// <param name="token">Stops it.</param>
    /// <returns>The hits, the total, and how it was run.</returns>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    /// <exception cref="QueryLimitException">It would need more than <paramref name="options"/> allow.</exception>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public SearchResult Search(
        Query query,
        IReadOnlyList<SearchOrder> order,
        long skip,
        int take,
        SearchOptions? options = null,
        CancellationToken token = default
    )
    {
        ArgumentOutOfRangeException.ThrowIfNegative(skip);
        ArgumentOutOfRangeException.ThrowIfNegative(take);
        using var execution = new QueryExecution(reader, options ?? SearchOptions.Default, token);
        var start = execution.Options.Timings ? Stopwatch.GetTimestamp() : 0;
        var scored = HasScore(order);
        var step = new QueryPlanner(execution, lazy: execution.Options.CountUpTo is not null).Plan(query, scored);
        var (hits, total, isExact, way) = Run(execution, step, order, skip, take);
        step.Actual ??= isExact ? total : null;
        TimeSpan? elapsed = execution.Options.Timings ? Stopwatch.GetElapsedTime(start) : null;
        return new SearchResult(
            hits,
            total,
            isExact,
            new PlanNode(
                way,
                string.Concat(
                    skip.ToString(CultureInfo.InvariantCulture),
                    "..",
                    (skip + take).ToString(CultureInfo.InvariantCulture)
                ),
                step.Estimate,
                hits.Count,
                elapsed,
                [step.Plan()]
            )
        );
    }

    /// <summary>Counts the entries of a query.</summary>
    /// <param name="query">The query.</param>
    /// <param name="options">How to run it; null for <see cref="SearchOptions.Default"/>.</param>
    /// <param name="token">Stops it.</param>
    /// <returns>The exact number.</returns>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public long Count(Query query, SearchOptions? options = null, CancellationToken token = default)
    {
        using var execution = new QueryExecution(reader, options ?? SearchOptions.Default, token);
        var step = new QueryPlanner(execution, lazy: false).Plan(query, scored: false);
        return step.Count() ?? CountEach(execution, step);
    }

    /// <summary>Tells why an entry has its score.</summary>
    /// <param name="query">The query.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="options">How to run it; null for <see cref="SearchOptions.Default"/>.</param>
    /// <param name="token">Stops it.</param>
    /// <returns>The reasons; null if the entry does not match, or is deleted.</returns>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    public Explanation? Explain(
        Query query,
        int entry,
        SearchOptions? options = null,
        CancellationToken token = default
    )
    {
        using var execution = new QueryExecution(reader, options ?? SearchOptions.Default, token);
        if (execution.IsDeleted(entry))
            return null;
        return new QueryPlanner(execution, lazy: false).Plan(query, scored: true).Explain(entry, 1);
    }

    private static bool HasScore(IReadOnlyList<SearchOrder> order)
    {
        for (var i = 0; i < order.Count; i++)
        {
            if (order[i] is ScoreOrder)
                return true;
        }

        return false;
    }

    private (List<Hit> Hits, long Total, bool IsExact, string Way) Run(
        QueryExecution execution,
        QueryStep step,
        IReadOnlyList<SearchOrder> order,
        long skip,
        int take
    )
    {
        var byScore = order.Count == 1 && order[0] is ScoreOrder { Descending: true };
        var known = KnownTotal(execution, step);
        if (order.Count == 0 || (byScore && step.IsConstant))
            return First(execution, step, byScore, skip, take, known);
        return byScore ? Best(execution, step, skip, take, known) : Sorted(execution, step, order, skip, take, known);
    }

    // The total, if it can be told before anything is read, or by reading less than the search would.
    private static (long Total, bool IsExact)? KnownTotal(QueryExecution execution, QueryStep step)
    {
        if (execution.Options.CountUpTo is { } limit)
        {
            if (step.AtLeast > limit && !step.CountsWithoutReading)
                return (step.AtLeast, false);
        }

        return step.Count() is { } count ? (count, true) : null;
    }

    private long CountEach(QueryExecution execution, QueryStep step)
    {
        var total = 0L;
        var entries = step.Open();
        for (int count; (count = entries.Fill(_entries)) > 0; )
        {
            execution.Token.ThrowIfCancellationRequested();
            total += execution.RemoveDeleted(_entries.AsSpan(0, count));
        }

        return total;
    }

    // Where order does not matter, or is that of the numbers: reading ends with the last hit, unless there is more to
    // count.
    private (List<Hit> Hits, long Total, bool IsExact, string Way) First(
        QueryExecution execution,
        QueryStep step,
        bool scored,
        long skip,
        int take,
        (long Total, bool IsExact)? known
    )
    {
        var entries = step.Open();
        var score = scored ? step.OpenScorer(1).Limit : 0;
        var hits = new List<Hit>(Math.Min(take, 1024));
        var seen = 0L;
        var enough =
            known is not null ? skip + take
            : execution.Options.CountUpTo is { } limit ? Math.Max(limit + 1L, skip + take)
            : long.MaxValue;
        var ended = false;
        while (seen < enough)
        {
            execution.Token.ThrowIfCancellationRequested();
            var room = (int)Math.Min(_entries.Length, Math.Max(16, enough - seen));
            var count = entries.Fill(_entries.AsSpan(0, room));
            if (ended = count == 0)
                break;
            count = execution.RemoveDeleted(_entries.AsSpan(0, count));
            for (var i = (int)Math.Min(count, Math.Max(0, skip - seen)); i < count && hits.Count < take; i++)
                hits.Add(new Hit(_entries[i], score));
            seen += count;
        }

        var (total, isExact) = known ?? (seen, ended);
        return (hits, total, isExact, "first entries");
    }
}
