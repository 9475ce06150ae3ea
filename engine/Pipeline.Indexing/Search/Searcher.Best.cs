namespace Pipeline.Indexing;

public sealed partial class Searcher
{
    private (List<Hit> Hits, long Total, bool IsExact, string Way) Best(
        QueryExecution execution,
        QueryStep step,
        long skip,
        int take,
        (long Total, bool IsExact)? known
    )
    {
        var window = execution.Options.MaxSortWindow;
        execution.Memory.Reserve(Math.Min(skip + take, window) * sizeof(ulong) * 2, "top by score");
        var hits = new List<Hit>(Math.Min(take, window));
        var below = ulong.MaxValue;
        var total = known;
        for (var left = skip + take; left > 0; )
        {
            var capacity = (int)Math.Min(left, window);
            _top.Reset(Math.Max(capacity, 1), below);
            var counted = FindBest(execution, step, total is not null);
            total ??= counted;
            var found = _top.Take(out below);
            left = found.Length < capacity ? 0 : left - found.Length;
            var skipped = (int)Math.Min(skip, found.Length);
            skip -= skipped;
            foreach (var hit in found.AsSpan(skipped))
                hits.Add(hit);
        }

        total ??= (CountEach(execution, step), true);
        return (hits, total.Value.Total, total.Value.IsExact, "top by score");
    }

    // Fills the heap. Returns how many entries there are, unless that is known.
    private (long Total, bool IsExact) FindBest(QueryExecution execution, QueryStep step, bool isKnown)
    {
        var scorer = step.OpenOutermost(1);
        if (isKnown && scorer is DisjunctionScorer { Least: 1 } disjunction)
        {
            (_best ??= new()).Run(disjunction.Scorers, _top, execution.Reader.Deleted, execution.Token);
            return default;
        }

        if (isKnown && scorer is TermScorer)
        {
            (_best ??= new()).Run([scorer], _top, execution.Reader.Deleted, execution.Token);
            return default;
        }

        if (isKnown && scorer is ConjunctionScorer conjunction && TryBestOfConjunction(execution, conjunction))
            return default;
        var limit = isKnown ? 0 : execution.Options.CountUpTo ?? long.MaxValue;
        if (scorer is PhraseScorer { IsPair: true } phrase)
            return BestPairs(execution, phrase, limit);
        var counted = 0L;
        var passed = -1f;
        for (var entry = scorer.Next(); entry != EntryIterator.End; entry = scorer.Next())
        {
            if ((++counted & 0xFFF) == 0)
                execution.Token.ThrowIfCancellationRequested();
            if (execution.IsDeleted(entry))
            {
                counted--;
                continue;
            }

            _top.Add(entry, scorer.Score());
            if (counted <= limit || _top.Threshold <= passed)
                continue;
            passed = _top.Threshold;
            scorer.PassOver(passed);
        }

        return (counted, counted <= limit);
    }

    // Scores are made for many entries together. Once more than the limit are counted, blocks without good ones are
    // passed over.
    private (long Total, bool IsExact) BestPairs(QueryExecution execution, PhraseScorer phrase, long limit)
    {
        Span<int> frequencies = stackalloc int[Batch];
        Span<int> lengths = stackalloc int[Batch];
        var total = 0L;
        var room = limit == long.MaxValue ? Batch : BlockCodec.Length;
        for (int count; (count = phrase.FillPairs(_entries.AsSpan(0, room), frequencies)) > 0; )
        {
            execution.Token.ThrowIfCancellationRequested();
            var entries = _entries.AsSpan(0, count);
            phrase.ScorePairs(entries, frequencies[..count], lengths, _scores);
            if (execution.DeletedCount == 0)
            {
                total += count;
                _top.AddAll(entries, _scores.AsSpan(0, count));
            }
            else
            {
                for (var i = 0; i < count; i++)
                {
                    if (execution.IsDeleted(entries[i]))
                        continue;
                    total++;
                    _top.Add(entries[i], _scores[i]);
                }
            }

            if (total > limit)
                phrase.PassOver(_top.Threshold);
        }

        return (total, total <= limit);
    }

    // Only lists and sets, which allows whole blocks to be filtered and scored at once.
    private bool TryBestOfConjunction(QueryExecution execution, ConjunctionScorer conjunction)
    {
        var terms = new TermScorer[conjunction.Scorers.Length];
        for (var i = 0; i < terms.Length; i++)
        {
            if (conjunction.Scorers[i] is not TermScorer term)
                return false;
            terms[i] = term;
        }

        var sets = new SetIterator[conjunction.Filters.Length];
        for (var i = 0; i < sets.Length; i++)
        {
            if (conjunction.Filters[i] is not SetIterator set)
                return false;
            sets[i] = set;
        }

        if (!BestOfConjunction.IsWorthwhile(terms, sets))
            return false;
        (_both ??= new()).Run(terms, sets, _top, execution.Reader.Deleted, execution.Token);
        return true;
    }
}
