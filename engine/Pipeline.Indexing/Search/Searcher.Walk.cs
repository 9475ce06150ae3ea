namespace Pipeline.Indexing;

public sealed partial class Searcher
{
    private const int MaxWalked = 1024;

    // Hits in the order of one field's numbers: walks the numbers and tests whether each entry matches. Used only if so
    // many entries match that the first hits come soon.
    private static List<Hit>? TryWalk(
        QueryExecution execution,
        QueryStep step,
        SearchOrder order,
        long skip,
        int take,
        long total
    )
    {
        if (order is not FieldOrder { Form: SortForm.Long or SortForm.Double } by || take == 0 || total <= skip)
            return null;
        if (
            execution.Field(by.Field) is not { } field
            || execution.Reader.OpenNumbers(field) is not { HasMultiple: false } numbers
        )
        {
            return null;
        }
        // Numbers of the other kind are put in another order by a column than among the numbers.
        if (
            execution.Reader.OpenColumn(field, by.Form == SortForm.Long ? ColumnKind.Double : ColumnKind.Long)
            is not null
        )
        {
            return null;
        }

        var needed = Math.Min(skip + take, total);
        var (low, high, probe) = (NumericKey.Min, NumericKey.Max, (EntryProbe?)null);
        var budget = long.MaxValue;
        if (step is NumberRangeStep range && ReferenceEquals(range.Numbers, numbers))
        {
            (low, high) = (range.Low, range.High);
            if (needed > MaxWalked || total < needed * 8)
                return null;
        }
        else
        {
            budget = total / 8;
            if (
                needed > MaxWalked
                || needed * execution.Reader.LiveCount > budget * total
                || (probe = step.OpenProbe()) is null
            )
            {
                return null;
            }
            // Entries without a number come first; who goes through numbers does not see them.
            if (!by.Descending && numbers.Count(low, high) < execution.Reader.LiveCount)
                return null;
        }

        var walk = new NumberWalk(execution.Cursor(numbers), low, high, by.Descending);
        var hits = new List<Hit>((int)(needed - skip));
        for (long found = 0; found < needed; )
        {
            if (budget-- == 0 || !walk.MoveNext())
                return null;
            if ((budget & 0xFF) == 0)
                execution.Token.ThrowIfCancellationRequested();
            if (probe is not null && (!probe.Contains(walk.Entry) || execution.IsDeleted(walk.Entry)))
                continue;
            if (found >= skip)
                hits.Add(new Hit(walk.Entry, 0));
            found++;
        }

        return hits;
    }
}
