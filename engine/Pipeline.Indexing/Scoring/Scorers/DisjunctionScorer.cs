namespace Pipeline.Indexing;

/// <summary>
/// Entries that at least a minimum number of scorers have; the score is the sum of theirs. Entries come from a heap of
/// the scorers by where they stand. A search for the best entries of a whole disjunction goes through
/// <see cref="BestOfDisjunction"/> instead.
/// </summary>
internal sealed class DisjunctionScorer : Scorer
{
    private readonly Scorer[] _heap;
    private readonly int _least;

    /// <summary>Puts scorers together.</summary>
    /// <param name="scorers">The scorers, at least one, on no entry yet.</param>
    /// <param name="least">How many must have an entry.</param>
    public DisjunctionScorer(Scorer[] scorers, int least = 1)
    {
        (Scorers, _heap, _least) = (scorers, [.. scorers], least);
        var limit = 0.0;
        foreach (var scorer in scorers)
        {
            Cost += scorer.Cost;
            limit += scorer.Limit;
        }

        Cost /= least;
        Limit = (float)limit;
    }

    /// <summary>The scorers that it combines.</summary>
    public Scorer[] Scorers { get; }

    /// <summary>How many must have an entry.</summary>
    public int Least => _least;

    public override long Cost { get; }

    public override float Limit { get; }

    public override int Next() => Current == End ? End : From(Current + 1);

    public override int SkipTo(int target) => target <= Current ? Current : From(target);

    public override float Score()
    {
        var sum = 0.0;
        foreach (var scorer in Scorers)
        {
            if (scorer.Current == Current)
                sum += scorer.Score();
        }

        return (float)sum;
    }

    public override int BlockEnd(int target)
    {
        var end = End - 1;
        foreach (var scorer in Scorers)
            end = Math.Min(end, scorer.BlockEnd(target));
        return end;
    }

    public override float MaxScore(int from, int to)
    {
        var sum = 0.0;
        foreach (var scorer in Scorers)
            sum += scorer.MaxScore(from, to);
        return (float)sum;
    }

    private int From(int target)
    {
        while (true)
        {
            if (Current < 0)
            {
                // Nothing is in order yet.
                foreach (var scorer in _heap)
                    scorer.SkipTo(target);
                for (var i = (_heap.Length - 2) >> 1; i >= 0; i--)
                    Down(i);
            }

            while (_heap[0].Current < target)
            {
                _heap[0].SkipTo(target);
                Down(0);
            }

            Current = _heap[0].Current;
            if (_least <= 1 || Current == End)
                return Current;
            var have = 0;
            foreach (var scorer in _heap)
            {
                if (scorer.Current == Current)
                    have++;
            }

            if (have >= _least)
                return Current;
            target = Current + 1;
        }
    }

    private void Down(int i)
    {
        var moved = _heap[i];
        for (int child; (child = 2 * i + 1) < _heap.Length; i = child)
        {
            if (child + 1 < _heap.Length && _heap[child + 1].Current < _heap[child].Current)
                child++;
            if (_heap[child].Current >= moved.Current)
                break;
            _heap[i] = _heap[child];
        }

        _heap[i] = moved;
    }
}
