using Pipeline.Indexing.Analysis.Filters;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// Leaves out the tokens of a list. Their positions stay empty, so that phrases keep their distances.
/// </summary>
internal sealed class StopFilter(StopWords words) : TokenFilter
{
    public override void Apply(TokenBuffer buffer)
    {
        var entries = buffer.Entries;
        int kept = 0,
            skipped = 0;
        foreach (ref var entry in entries)
        {
            if (words.Contains(buffer.Term(entry)))
            {
                skipped += entry.PositionIncrement;
                continue;
            }

            entry.PositionIncrement += skipped;
            skipped = 0;
            entries[kept++] = entry;
        }

        buffer.Count = kept;
        buffer.SkippedPositions += skipped;
    }
}
