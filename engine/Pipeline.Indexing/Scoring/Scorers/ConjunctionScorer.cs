namespace Pipeline.Indexing;

/// <summary>
/// Entries that all scorers and filters have; the score is the sum of the scorers'. Where the bounds of a stretch of
/// the leading one are too low together, the whole stretch is passed over.
/// </summary>
internal sealed class ConjunctionScorer : Scorer
{
    private readonly Scorer[] _scorers;
    private readonly EntryIterator[] _filters;
    private readonly EntryIterator[] _all; // by cost; the first leads
    private readonly EntryIterator _lead;
    private float _notMoreThan = -1,
        _stretchLimit;
    private int _stretchEnd = -1;

    /// <summary>Puts them together.</summary>
    /// <param name="scorers">Scorers that must match and add to the score; at least one.</param>
    /// <param name="filters">Iterators that must match.</param>
    public ConjunctionScorer(Scorer[] scorers, EntryIterator[] filters)
    {
        (_scorers, _filters) = (scorers, filters);
        _all = [.. scorers, .. filters];
        Array.Sort(_all, static (a, b) => a.Cost.CompareTo(b.Cost));
        _lead = _all[0];
        var limit = 0.0;
        foreach (var scorer in scorers)
            limit += scorer.Limit;
        Limit = (float)limit;
    }

    /// <summary>Scorers that must match and add to the score.</summary>
    public ReadOnlySpan<Scorer> Scorers => _scorers;

    /// <summary>Iterators that must match.</summary>
    public ReadOnlySpan<EntryIterator> Filters => _filters;

    public override long Cost => _lead.Cost;

    public override float Limit { get; }

    public override int Next() => Current == End ? End : Current = Agree(_lead.Next());

    public override int SkipTo(int target) => target <= Current ? Current : Current = Agree(_lead.SkipTo(target));

    public override float Score()
    {
        var sum = 0.0;
        foreach (var scorer in _scorers)
            sum += scorer.Score();
        return (float)sum;
    }

    public override int BlockEnd(int target)
    {
        var end = End - 1;
        foreach (var scorer in _scorers)
            end = Math.Min(end, scorer.BlockEnd(target));
        return end;
    }

    public override float MaxScore(int from, int to)
    {
        var sum = 0.0;
        foreach (var scorer in _scorers)
            sum += scorer.MaxScore(from, to);
        return (float)sum;
    }

    public override void PassOver(float notMoreThan) => _notMoreThan = notMoreThan;

    private int Agree(int entry)
    {
        while (entry != End)
        {
            if (_notMoreThan >= 0)
            {
                // The bound of a stretch is asked for once: the scorers do not look back.
                if (entry > _stretchEnd)
                {
                    _stretchEnd = _lead is Scorer lead ? lead.BlockEnd(entry) : BlockEnd(entry);
                    _stretchLimit = MaxScore(entry, _stretchEnd);
                }

                if (_stretchLimit <= _notMoreThan)
                {
                    if (_stretchEnd >= End - 1)
                        return End;
                    entry = _lead.SkipTo(_stretchEnd + 1);
                    continue;
                }
            }

            var highest = entry;
            for (var i = 1; i < _all.Length; i++)
            {
                highest = _all[i].SkipTo(entry);
                if (highest > entry)
                    break;
            }

            if (highest == entry)
                return entry;
            entry = _lead.SkipTo(highest);
        }

        return End;
    }
}
