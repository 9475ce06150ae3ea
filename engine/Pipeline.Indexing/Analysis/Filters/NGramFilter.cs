namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>
/// Puts the parts of min to max code points in a term's place: by where they begin, and shorter ones first. All stand
/// on the term's position and have its offsets (as those of Lucene's NGramTokenFilter). A term shorter than min is left
/// out.
/// </summary>
internal sealed class NGramFilter(int min, int max) : TokenFilter
{
    public override void Apply(TokenBuffer buffer)
    {
        // A token has at most as many code points as bytes.
        var capacity = 0;
        foreach (ref readonly var entry in buffer.Entries)
            capacity += entry.TermLength * (max - min + 1);
        var words = buffer.TakeEntries(capacity);
        var grams = buffer.EntryArray;
        int count = 0,
            skipped = 0;
        foreach (ref readonly var word in words)
        {
            var term = buffer.Term(word);
            var increment = word.PositionIncrement + skipped;
            skipped = 0;
            var before = count;
            for (var start = 0; start < term.Length; start = Next(term, start))
            {
                var end = start;
                for (var length = 1; length <= max && end < term.Length; length++)
                {
                    end = Next(term, end);
                    if (length < min)
                        continue;
                    grams[count++] = word with
                    {
                        TermOffset = word.TermOffset + start,
                        TermLength = end - start,
                        PositionIncrement = increment,
                    };
                    increment = 0;
                }
            }

            if (count == before)
                skipped = increment;
        }

        buffer.Count = count;
        buffer.SkippedPositions += skipped;
    }

    /// <summary>Where the code point after the one at an offset begins. Terms are well-formed.</summary>
    private static int Next(ReadOnlySpan<byte> term, int offset)
    {
        offset++;
        while (offset < term.Length && (term[offset] & 0xC0) == 0x80)
            offset++;
        return offset;
    }
}
