using System.Numerics;

namespace Pipeline.Indexing;

/// <summary>
/// The best entries of a disjunction, by MaxScore over blocks (Turtle and Flood 1995; Ding and Suel 2011). Entry
/// numbers are cut into stretches at the ends of blocks. In each stretch, scorers whose combined bounds cannot reach
/// the worst of the best so far are not read; they are only asked about entries that the others found. A stretch where
/// this holds for all scorers is skipped. Sums use double precision, so that their order does not matter.
/// </summary>
internal sealed class BestOfDisjunction
{
    private const int Window = 4096,
        Batch = 256;

    private readonly double[] _sums = new double[Window];
    private readonly ulong[] _bits = new ulong[Window / 64];
    private readonly int[] _entries = new int[Batch];
    private readonly float[] _scores = new float[Batch];
    private Scorer[] _order = [];
    private double[] _bounds = [],
        _upTo = [];

    /// <summary>Finds the best entries.</summary>
    /// <param name="scorers">The scorers, on no entry yet.</param>
    /// <param name="top">Takes the best.</param>
    /// <param name="deleted">Entries that do not count; null for none.</param>
    /// <param name="token">Stops it.</param>
    public void Run(ReadOnlySpan<Scorer> scorers, TopScores top, DeletedEntries? deleted, CancellationToken token)
    {
        var n = scorers.Length;
        if (_order.Length < n)
            (_order, _bounds, _upTo) = (new Scorer[n], new double[n], new double[n]);
        scorers.CopyTo(_order);
        var order = _order.AsSpan(0, n);
        foreach (var scorer in order)
            scorer.Next();
        var from = 0;
        while (true)
        {
            token.ThrowIfCancellationRequested();
            var least = EntryIterator.End;
            foreach (var scorer in order)
                least = Math.Min(least, Math.Max(scorer.Current, from));
            if (least == EntryIterator.End)
                return;
            from = least;
            var to = EntryIterator.End - 1;
            foreach (var scorer in order)
                to = Math.Min(to, scorer.Current > from ? Math.Max(scorer.Current - 1, from) : scorer.BlockEnd(from));
            var first = Divide(order, from, to, top.Threshold);
            if (first < n)
                Read(order, first, from, to, top, deleted);
            if (to >= EntryIterator.End - 1)
                return;
            from = to + 1;
            foreach (var scorer in order[first..])
                scorer.SkipTo(from);
        }
    }

    // Orders by bounds and returns how many of the lowest cannot reach the threshold together.
    private int Divide(Span<Scorer> order, int from, int to, float threshold)
    {
        for (var i = 0; i < order.Length; i++)
        {
            var (scorer, bound) = (
                order[i],
                order[i].Current > to ? 0.0 : order[i].MaxScore(Math.Max(from, order[i].Current), to)
            );
            var j = i;
            for (; j > 0 && _bounds[j - 1] > bound; j--)
                (order[j], _bounds[j]) = (order[j - 1], _bounds[j - 1]);
            (order[j], _bounds[j]) = (scorer, bound);
        }

        var sum = 0.0;
        var first = 0;
        for (var i = 0; i < order.Length; i++)
        {
            _upTo[i] = sum += _bounds[i];
            if ((float)sum <= threshold)
                first = i + 1;
        }

        return first;
    }

    private void Read(Span<Scorer> order, int first, int from, int to, TopScores top, DeletedEntries? deleted)
    {
        if (first == order.Length - 1)
        {
            ReadOne(order, first, from, to, top, deleted);
            return;
        }

        for (long start = from; start <= to; )
        {
            // Before the first current entry of any scorer there is nothing to read.
            var next = to + 1L;
            foreach (var scorer in order[first..])
                next = Math.Min(next, scorer.SkipTo((int)start));
            if (next > to)
                return;
            start = next;
            var end = (int)Math.Min(start + Window - 1, to);
            foreach (var scorer in order[first..])
            {
                for (int count; (count = scorer.FillScores(end + 1, _entries, _scores)) > 0; )
                {
                    for (var i = 0; i < count; i++)
                    {
                        var at = _entries[i] - (int)start;
                        _sums[at] += _scores[i];
                        _bits[at >> 6] |= 1UL << at;
                    }
                }
            }

            for (var w = 0; w < _bits.Length; w++)
            {
                for (var word = _bits[w]; word != 0; word &= word - 1)
                {
                    var at = (w << 6) + BitOperations.TrailingZeroCount(word);
                    var sum = _sums[at];
                    _sums[at] = 0;
                    Offer(order, first, (int)start + at, sum, top, deleted);
                }

                _bits[w] = 0;
            }

            start = end + 1L;
        }
    }

    private void ReadOne(Span<Scorer> order, int only, int from, int to, TopScores top, DeletedEntries? deleted)
    {
        var scorer = order[only];
        if (scorer.SkipTo(from) > to)
            return;
        var rest = only == 0 ? 0 : _upTo[only - 1];
        for (int count; (count = scorer.FillScores(to + 1, _entries, _scores)) > 0; )
        {
            for (var i = 0; i < count; i++)
            {
                if ((float)(_scores[i] + rest) > top.Threshold)
                    Offer(order, only, _entries[i], _scores[i], top, deleted);
            }
        }
    }

    private void Offer(Span<Scorer> order, int first, int entry, double sum, TopScores top, DeletedEntries? deleted)
    {
        for (var i = first - 1; i >= 0; i--)
        {
            if ((float)(sum + _upTo[i]) <= top.Threshold)
                return;
            var scorer = order[i];
            if (scorer.SkipTo(entry) == entry)
                sum += scorer.Score();
        }

        var score = (float)sum;
        if (score > top.Threshold && (deleted is null || !deleted.Contains(entry)))
            top.Add(entry, score);
    }
}
