namespace Pipeline.Indexing;

/// <summary>
/// The best entries that all of several posting lists and sets have. The rarest list leads, block by block. Blocks
/// whose combined bound is too low are skipped. In the others, entries that the sets lack are dropped and the rest are
/// scored for the leading list with vectors. The other lists are asked only about entries that could still be among the
/// best.
/// </summary>
internal sealed class BestOfConjunction
{
    private const int Batch = 128;

    private readonly int[] _entries = new int[Batch];
    private readonly float[] _scores = new float[Batch];
    private double[] _rest = [];

    /// <summary>
    /// Whether this way is the better one: no set is so much smaller than the leading list that it should lead.
    /// </summary>
    public static bool IsWorthwhile(ReadOnlySpan<TermScorer> scorers, ReadOnlySpan<SetIterator> sets)
    {
        const int BlockWorth = 16;
        var lead = long.MaxValue;
        foreach (var scorer in scorers)
            lead = Math.Min(lead, scorer.Cost);
        foreach (var set in sets)
        {
            if (set.Cost < lead / BlockWorth)
                return false;
        }

        return true;
    }

    /// <summary>Finds the best entries.</summary>
    /// <param name="scorers">The lists, on no entry yet; they get sorted.</param>
    /// <param name="sets">The sets.</param>
    /// <param name="top">Takes the best.</param>
    /// <param name="deleted">Entries that do not count; null for none.</param>
    /// <param name="token">Stops it.</param>
    public void Run(
        TermScorer[] scorers,
        ReadOnlySpan<SetIterator> sets,
        TopScores top,
        DeletedEntries? deleted,
        CancellationToken token
    )
    {
        Array.Sort(scorers, static (a, b) => a.Cost.CompareTo(b.Cost));
        if (_rest.Length < scorers.Length)
            _rest = new double[scorers.Length];
        var lead = scorers[0];
        var blocks = 0;
        for (var from = 0; ; )
        {
            if ((++blocks & 63) == 0)
                token.ThrowIfCancellationRequested();
            // Sets often hold runs of neighbours: blocks in which a set is empty are skipped.
            foreach (var set in sets)
            {
                if (set is BitmapIterator && (from = Math.Max(from, set.SkipTo(from))) == EntryIterator.End)
                    return;
            }

            var to = lead.BlockEnd(from);
            if (to == EntryIterator.End)
                return;
            if (Bound(scorers, from, to) > top.Threshold && lead.SkipTo(from) <= to)
            {
                for (int count; (count = lead.FillScores(to + 1, sets, _entries, _scores)) >= 0; )
                {
                    for (var i = 0; i < count; i++)
                        Offer(scorers, _entries[i], _scores[i], top, deleted);
                }
            }

            from = to + 1;
        }
    }

    // Also leaves how much the lists from each on can add in the stretch.
    private float Bound(TermScorer[] scorers, int from, int to)
    {
        var sum = 0.0;
        for (var i = scorers.Length - 1; i >= 1; i--)
            _rest[i] = sum += scorers[i].MaxScore(from, to);
        return (float)(sum + scorers[0].MaxScore(from, to));
    }

    private void Offer(TermScorer[] scorers, int entry, double sum, TopScores top, DeletedEntries? deleted)
    {
        for (var i = 1; i < scorers.Length; i++)
        {
            if ((float)(sum + _rest[i]) <= top.Threshold || scorers[i].SkipTo(entry) != entry)
                return;
            sum += scorers[i].Score();
        }

        var score = (float)sum;
        if (score > top.Threshold && (deleted is null || !deleted.Contains(entry)))
            top.Add(entry, score);
    }
}
