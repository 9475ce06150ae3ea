namespace Pipeline.Indexing;

public sealed partial class Searcher
{
    private (List<Hit> Hits, long Total, bool IsExact, string Way) Sorted(
        QueryExecution execution,
        QueryStep step,
        IReadOnlyList<SearchOrder> order,
        long skip,
        int take,
        (long Total, bool IsExact)? known
    )
    {
        if (
            known is { IsExact: true } exact
            && order.Count == 1
            && TryWalk(execution, step, order[0], skip, take, exact.Total) is { } walked
        )
        {
            return (walked, exact.Total, true, "sort by going through the numbers");
        }

        var capacity = (int)Math.Max(1, Math.Min(skip + take, execution.Options.MaxSortWindow));
        var scored = HasScore(order);
        var top = NewTop(execution, order, capacity);
        var hits = new List<Hit>(Math.Min(take, capacity));
        var total = 0L;
        do
        {
            total = FillSorted(execution, step, top, scored);
            var found = top.Take();
            var skipped = (int)Math.Min(skip, found.Length);
            skip -= skipped;
            for (var i = skipped; i < found.Length && hits.Count < take; i++)
                hits.Add(found[i]);
            if (found.Length < capacity)
                break;
        } while (hits.Count < take);

        return (hits, total, true, "sort");
    }

    /// <summary>The most keys by which hits can be put in order.</summary>
    public const int MaxOrders = 16;

    private static TopSorted NewTop(QueryExecution execution, IReadOnlyList<SearchOrder> order, int capacity)
    {
        if (order.Count > MaxOrders)
            throw new QueryLimitException(nameof(MaxOrders), MaxOrders, order.Count, "sort");
        execution.Memory.Reserve(TopSorted.Bytes(capacity, order.Count), "sort");
        var (sources, descending) = (new SortSource[order.Count], new bool[order.Count]);
        for (var i = 0; i < sources.Length; i++)
            (sources[i], descending[i]) = (Source(execution, order[i]), order[i].Descending);
        return new TopSorted(sources, descending, capacity);
    }

    // Offers all live entries; returns how many there are.
    private long FillSorted(QueryExecution execution, QueryStep step, TopSorted top, bool scored)
    {
        var total = 0L;
        var scorer = scored ? step.OpenScorer(1) : null;
        var entries = scorer ?? step.Open();
        while (true)
        {
            execution.Token.ThrowIfCancellationRequested();
            int count;
            if (scorer is null)
            {
                count = entries.Fill(_entries);
                if (count == 0)
                    return total;
                count = execution.RemoveDeleted(_entries.AsSpan(0, count));
            }
            else
            {
                count = scorer.FillScores(EntryIterator.End, _entries, _scores);
                if (count == 0)
                    return total;
                var kept = 0;
                for (var i = 0; i < count; i++)
                {
                    if (execution.IsDeleted(_entries[i]))
                        continue;
                    (_entries[kept], _scores[kept++]) = (_entries[i], _scores[i]);
                }

                count = kept;
            }

            total += count;
            top.Add(_entries.AsSpan(0, count), scored ? _scores.AsSpan(0, count) : default, _keys);
        }
    }

    private static SortSource Source(QueryExecution execution, SearchOrder key)
    {
        switch (key)
        {
            case ScoreOrder:
                return new ScoreSort();
            case RandomOrder random:
                return new RandomSort(random.Seed);
            case DistanceOrder distance:
                return execution.Field(distance.Field) is { } points
                    ? new DistanceSort(
                        execution.Column(points, ColumnKind.Point),
                        new HaversineDistance(distance.Latitude, distance.Longitude),
                        distance.RoundTo
                    )
                    : new NoSort();
            case FieldOrder sort:
                if (execution.Field(sort.Field) is not { } field)
                    return new NoSort();
                return sort.Form is SortForm.Long or SortForm.Double
                    ? new NumberSort(
                        execution.Column(field, ColumnKind.Long),
                        execution.Column(field, ColumnKind.Double),
                        sort.Form == SortForm.Long
                    )
                    : new TermSort(execution, field, sort.Form == SortForm.Alphanumeric);
            default:
                throw new QueryException($"A sort key of type {key.GetType().Name} is not known.");
        }
    }
}
