namespace Pipeline.Indexing;

/// <summary>Entries that all required steps match, enough optional steps match, and no excluded step matches.</summary>
internal sealed class BooleanStep : QueryStep
{
    private const int MinCountedAsSet = 1024;

    private readonly QueryStep[] _must,
        _filter,
        _should,
        _not;
    private readonly QueryStep[] _required; // must and filter, the rarest first
    private readonly int _least;

    /// <summary>
    /// Makes a step. There must be a required step, or at least one optional step must have to match.
    /// </summary>
    public BooleanStep(
        QueryExecution execution,
        QueryStep[] must,
        QueryStep[] filter,
        QueryStep[] should,
        QueryStep[] not,
        int least
    )
        : base(execution, must.Length + filter.Length > 0 ? "and" : "or", "")
    {
        (_must, _filter, _should, _not, _least) = (must, filter, should, not, least);
        _required = [.. must, .. filter];
        Array.Sort(_required, static (a, b) => a.Estimate.CompareTo(b.Estimate));
        Steps = [.. _required, .. should, .. not];
        var parts = new List<string>();
        if (filter.Length > 0)
            parts.Add($"{filter.Length} without score");
        if (should.Length > 0 && must.Length + filter.Length > 0)
            parts.Add($"{should.Length} optional");
        if (least > 1 || (least == 1 && must.Length + filter.Length > 0))
            parts.Add($"at least {least}");
        if (not.Length > 0)
            parts.Add($"not {not.Length}");
        Detail = string.Join(", ", parts);
        var estimate = (long)execution.Entries;
        foreach (var step in must)
            estimate = Math.Min(estimate, step.Estimate);
        foreach (var step in filter)
            estimate = Math.Min(estimate, step.Estimate);
        if (least > 0)
        {
            var sum = 0L;
            foreach (var step in should)
                sum += step.Estimate;
            estimate = Math.Min(estimate, sum / least);
        }

        Estimate = estimate;
    }

    public override long Estimate { get; }

    public override bool IsConstant => false;

    public override IReadOnlyList<QueryStep> Steps { get; }

    public override long AtLeast =>
        _must.Length + _filter.Length + _not.Length == 0 && _least == 1 ? _should.Max(s => s.AtLeast) : 0;

    public override long? Count()
    {
        if (_must.Length + _filter.Length > 0)
            return CountConjunction();
        if (_not.Length > 0 || _least != 1)
            return null;
        if (_should.Length == 2 && _should[0] is TermStep a && _should[1] is TermStep b && Execution.DeletedCount == 0)
            return CountPair(a, b);
        var bitmap = Execution.NewSet(Operation);
        foreach (var step in _should)
            step.AddTo(bitmap);
        return Execution.CountLive(bitmap);
    }

    public override EntryProbe? OpenProbe()
    {
        if (_least > 0)
            return null;
        var all = _must.Concat(_filter).Select(s => s.OpenProbe()).ToArray();
        var none = _not.Select(s => s.OpenProbe()).ToArray();
        return all.Concat(none).Any(p => p is null) ? null : new AllProbe(all!, none!);
    }

    public override Explanation? Explain(int entry, float boost)
    {
        var parts = new List<Explanation>();
        foreach (var step in _must)
        {
            if (step.Explain(entry, boost) is not { } part)
                return null;
            parts.Add(part);
        }

        if (_filter.Any(s => s.Open().SkipTo(entry) != entry) || _not.Any(s => s.Open().SkipTo(entry) == entry))
            return null;
        var optional = _should.Select(s => s.Explain(entry, boost)).OfType<Explanation>().ToList();
        if (optional.Count < _least)
            return null;
        parts.AddRange(optional);
        return new Explanation((float)parts.Sum(p => (double)p.Value), "sum of", parts);
    }

    public override void AddTo(EntrySet set)
    {
        if (_must.Length + _filter.Length + _not.Length > 0 || _least != 1)
        {
            base.AddTo(set);
            return;
        }

        foreach (var step in _should)
            step.AddTo(set);
    }

    protected override EntryIterator OpenEntries()
    {
        var required = new List<EntryIterator>(_must.Length + _filter.Length + 1);
        foreach (var step in _must)
            required.Add(step.Open());
        foreach (var step in _filter)
            required.Add(step.OpenFilter(LeadOf(step)));
        if (_least > 0)
        {
            required.Add(
                _should.Length == 1 ? _should[0].Open() : new UnionIterator([.. _should.Select(s => s.Open())], _least)
            );
        }

        var all = required.Count switch
        {
            0 => Execution.Reader.OpenAll(),
            1 => required[0],
            _ => new ConjunctionIterator([.. required]),
        };
        return _not.Length == 0 ? all : new ExclusionIterator(all, Excluded());
    }

    protected override Scorer OpenScores(float boost)
    {
        var scorers = new List<Scorer>(_must.Length + 1);
        foreach (var step in _must)
            scorers.Add(step.OpenScorer(boost));
        Scorer? optional = null;
        if (_should.Length > 0)
        {
            optional =
                _should.Length == 1
                    ? _should[0].OpenScorer(boost)
                    : new DisjunctionScorer([.. _should.Select(s => s.OpenScorer(boost))], Math.Max(_least, 1));
            if (_least > 0)
            {
                scorers.Add(optional);
                optional = null;
            }
        }

        EntryIterator[] filters = [.. _filter.Select(s => s.OpenFilter(LeadOf(s)))];
        var all = (scorers.Count, filters.Length) switch
        {
            (0, 0) => new ConstantScorer(Execution.Reader.OpenAll(), 0),
            (0, 1) => new ConstantScorer(filters[0], 0),
            (0, _) => new ConstantScorer(new ConjunctionIterator(filters), 0),
            (1, 0) => scorers[0],
            _ => new ConjunctionScorer([.. scorers], filters),
        };
        if (_not.Length > 0)
            all = new ExclusionScorer(all, Excluded());
        return optional is null ? all : new OptionalScorer(all, optional);
    }

    // How many entries the smallest of the other required parts has; more than there are if it is alone.
    private long LeadOf(QueryStep step)
    {
        var least = long.MaxValue;
        foreach (var other in _must)
            least = Math.Min(least, other.Estimate);
        foreach (var other in _filter)
        {
            if (!ReferenceEquals(other, step))
                least = Math.Min(least, other.Estimate);
        }

        return least;
    }

    private EntryIterator Excluded() =>
        _not.Length == 1 ? _not[0].Open() : new UnionIterator([.. _not.Select(s => s.Open())]);

    // Where no part is much shorter than another, sets are counted sooner than entries are met one by one.
    private long? CountConjunction()
    {
        if (_least > 0 || !AreQuickSets(_required) || !AreQuickSets(_not))
            return null;
        if (_not.Length == 0 && Execution.DeletedCount == 0)
        {
            if (_required is [TermStep a, TermStep b])
                return Execution.CountCommon(a.Term, b.Term);
            if (_required is [TermStep term, ListStep list])
                return CountIn(term, list);
            if (_required is [ListStep first, TermStep second])
                return CountIn(second, first);
        }

        if (_required[0].Estimate < Math.Max(MinCountedAsSet, _required[^1].Estimate / 32))
            return null;
        var set = Execution.NewSet(Operation);
        _required[0].AddTo(set);
        using var other = new EntrySet(Execution.Entries, Execution.Memory, Operation);
        foreach (var step in _required.AsSpan(1))
        {
            other.Words.Clear();
            step.AddTo(other);
            set.And(other);
        }

        foreach (var step in _not)
        {
            other.Words.Clear();
            step.AddTo(other);
            set.AndNot(other);
        }

        return Execution.CountLive(set);
    }

    private static bool AreQuickSets(QueryStep[] steps)
    {
        foreach (var step in steps)
        {
            if (!step.IsQuickSet)
                return false;
        }

        return true;
    }

    private long? CountIn(TermStep term, ListStep list)
    {
        if (list.IsFew && list.Estimate < term.Estimate / 32)
            return null;
        var cursor = Execution.Open(term.Term);
        if (list is NumberRangeStep range && term.Estimate < list.Estimate / 4 && range.OpenColumn() is { } column)
        {
            var count = 0L;
            for (var entry = cursor.Next(); entry != EntryIterator.End; entry = cursor.Next())
            {
                if (column.Contains(entry))
                    count++;
            }

            return count;
        }

        return cursor.CountIn(list.Set().Words);
    }

    // For two lists: both lengths less the entries they share, which the shorter list finds.
    private long CountPair(TermStep a, TermStep b)
    {
        var (shorter, longer) = a.Estimate <= b.Estimate ? (a, b) : (b, a);
        return a.Estimate + b.Estimate - Execution.CountCommon(shorter.Term, longer.Term);
    }
}
