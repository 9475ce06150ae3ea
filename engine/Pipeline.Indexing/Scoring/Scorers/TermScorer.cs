namespace Pipeline.Indexing;

/// <summary>The entries of a posting list with the term's BM25.</summary>
internal sealed class TermScorer(PostingCursor postings, Bm25 weight, FieldLengths lengths) : Scorer
{
    private readonly int[] _lengths = new int[128];

    public override long Cost => postings.Cost;

    public override float Limit => weight.Limit;

    public override float Score() => weight.Score(postings.Frequency, lengths[Current]);

    public override int Next() => Current = postings.Next();

    public override int SkipTo(int target) => Current = postings.SkipTo(target);

    public override int BlockEnd(int target) => postings.BlockEnd(target);

    public override float MaxScore(int from, int to)
    {
        var most = 0f;
        while (true)
        {
            var end = postings.BlockEnd(from);
            if (end == End)
                return most;
            most = Math.Max(most, postings.BlockMaxScore(weight));
            if (end >= to)
                return most;
            from = end + 1;
        }
    }

    public override int Fill(Span<int> entries)
    {
        var count = postings.Fill(entries);
        Current = postings.Current;
        return count;
    }

    public override int FillScores(int end, Span<int> entries, Span<float> scores)
    {
        if (Current < 0)
            Next();
        if (Current >= end)
            return 0;
        var at = postings.BlockIndex;
        var block = Below(end, postings.BlockEntries[at..]);
        if (block.Length > entries.Length)
            block = block[..entries.Length];
        block.CopyTo(entries);
        var found = _lengths.AsSpan(0, block.Length);
        lengths.CopyTo(block, found);
        weight.Score(postings.BlockFrequencies.Slice(at, block.Length), found, scores);
        Current = postings.Advance(block.Length);
        return block.Length;
    }

    /// <summary>
    /// Copies entries of the current block with their scores, from the current one on: those less than
    /// <paramref name="end"/> that all of some sets have. Moves behind all entries that are less. There must be room
    /// for a block.
    /// </summary>
    /// <returns>How many were copied; -1 if the current entry is not less.</returns>
    public int FillScores(int end, ReadOnlySpan<SetIterator> sets, Span<int> entries, Span<float> scores)
    {
        if (Current >= end)
            return -1;
        if (sets.IsEmpty)
            return FillScores(end, entries, scores);
        var at = postings.BlockIndex;
        var block = Below(end, postings.BlockEntries[at..]);
        Span<int> frequencies = stackalloc int[block.Length];
        var all = postings.BlockFrequencies;
        var kept = 0;
        for (var i = 0; i < block.Length; i++)
        {
            var entry = block[i];
            entries[kept] = entry;
            frequencies[kept] = all[at + i];
            var isIn = true;
            foreach (var set in sets)
                isIn &= set.Contains(entry);
            if (isIn)
                kept++;
        }

        var found = _lengths.AsSpan(0, kept);
        lengths.CopyTo(entries[..kept], found);
        weight.Score(frequencies[..kept], found, scores);
        Current = postings.Advance(block.Length);
        return kept;
    }

    // A block has at least the current entry, which is less.
    private static ReadOnlySpan<int> Below(int end, ReadOnlySpan<int> block)
    {
        if (block[^1] < end)
            return block;
        var count = block.BinarySearch(end);
        return block[..(count < 0 ? ~count : count)];
    }
}
